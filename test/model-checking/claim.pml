/* Claim S1 to S5, or 6 for L; its number is in what spin prints when it fails. With CLAIM=n only that one is looked at. */
#ifndef CLAIM
#define CLAIM 0
#endif
#define claim(number, holds) assert((number) * (CLAIM != 0 && CLAIM != (number) || (holds)))
