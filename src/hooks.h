/*
 * hooks.h
 *	  Installation of all hooks.
 */
#ifndef DPRIV_HOOKS_H
#define DPRIV_HOOKS_H

extern void dpriv_hooks_init(void);

#endif							/* DPRIV_HOOKS_H */
