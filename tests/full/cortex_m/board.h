/* What the host needs of the board: a serial port, and an end, which the emulator sees (semihosting). */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>
#include <stdnoreturn.h>

static inline void board_begin(void) {
    *(volatile uint32_t *)0x40004010 = 16; /* BAUDDIV */
    *(volatile uint32_t *)0x40004008 = 1; /* CTRL: transmit */
}

static inline void board_put(char c) {
    while (*(volatile uint32_t *)0x40004004 & 1u) { /* STATE: the transmitter is full */
    }
    *(volatile uint32_t *)0x40004000 = (uint8_t)c;
}

noreturn static inline void board_exit(int status) {
    register uint32_t operation __asm("r0") = 0x18; /* SYS_EXIT */
    register uint32_t reason __asm("r1") = status == 0 ? 0x20026 : 0x20023;
    __asm volatile("bkpt 0xAB" ::"r"(operation), "r"(reason) : "memory");
    for (;;) {
    }
}

#endif
