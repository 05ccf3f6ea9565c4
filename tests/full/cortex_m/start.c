/* What the processor does before main: memory as C wants it, and the floating-point unit on. */
#include <stdint.h>
#include <stdnoreturn.h>
#include "board.h"

extern uint32_t data_at_first[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

int main(void);
noreturn void start(void);

noreturn static void fail(void) {
    board_exit(1);
}

/* The stack, reset, NMI, and the faults, of which the first stands for those that are not enabled. */
__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    stack_top, (const void *)start, (const void *)fail, (const void *)fail};

noreturn void start(void) {
    volatile uint32_t *const coprocessors = (volatile uint32_t *)0xE000ED88;
    *coprocessors |= 0xFu << 20;
    __asm volatile("dsb\n\tisb" ::: "memory");
    for (uint32_t *to = data_begin, *from = data_at_first; to != data_end;) *to++ = *from++;
    for (uint32_t *to = bss_begin; to != bss_end;) *to++ = 0;
    board_exit(main());
}
