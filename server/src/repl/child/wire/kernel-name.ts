/** The names of the kernel on the global object and in stacks. */

export const KERNEL_NAME = "__agentq";
/** For code without a timer: `fetch(url, { signal: $signal })` ends together with its evaluation. */
export const SIGNAL_NAME = "$signal";
/** The name of the function that runs code in a module's scope: in a stack, the frames of that code are above it. */
export const MODULE_CALL = "agentqRunsInModule";
/**
 * The name of the function that calls into a module to enter its scope: the name distinguishes this call from calls of
 * the program.
 */
export const SCOPE_ENTRY_CALL = "agentqEntersScope";
