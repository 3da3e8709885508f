/*
 * fault.h
 *	  Failures at chosen steps of a charge, in test builds only.
 *
 * A build with -DDPRIV_FAULTS has the setting dpriv.fault = 'STEP:KIND,STEP:KIND'.  The shipped
 * build does not contain a line of it.
 */
#ifndef DPRIV_FAULT_H
#define DPRIV_FAULT_H

#ifdef DPRIV_FAULTS
extern void dpriv_fault_init(void);
extern void dpriv_fault(const char *step);
#else
#define dpriv_fault_init() ((void) 0)
#define dpriv_fault(step) ((void) 0)
#endif

#endif							/* DPRIV_FAULT_H */
