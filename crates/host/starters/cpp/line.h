// The line protocol: a program that stays alive for a whole game, and answers line by line.

#ifndef LINE_H
#define LINE_H

// Answers the referee until it says `quit`.
void talk(unsigned seed);

#endif
