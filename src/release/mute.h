/*
 * mute.h
 *	  No messages at debug levels in a session that has read private rows.
 */
#ifndef DPRIV_MUTE_H
#define DPRIV_MUTE_H

extern void dpriv_mute_init(void);

/*
 * Private rows may be read from now on: until it ends, the session is told nothing below the level
 * log, whatever client_min_messages is or will be.  Sessions of roles that see all rows go on as
 * before.
 */
extern void dpriv_mute(void);

#endif							/* DPRIV_MUTE_H */
