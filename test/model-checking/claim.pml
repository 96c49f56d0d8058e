/* Claim S1 to S5, or 6 for L; spin prints its number when it fails. With CLAIM=n only that claim is checked. */
#ifndef CLAIM
#define CLAIM 0
#endif
#define claim(number, holds) assert((number) * (CLAIM != 0 && CLAIM != (number) || (holds)))
