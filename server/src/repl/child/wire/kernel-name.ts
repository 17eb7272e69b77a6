/** Names that the kernel has on the global object and in stacks. */

export const KERNEL_NAME = "__agentq";
/** For what has no timer: `fetch(url, { signal: $signal })` ends with the evaluation that asked. */
export const SIGNAL_NAME = "$signal";
/** The name of the function that runs code in a module's scope: in a stack the frames of that scope end above it. */
export const MODULE_CALL = "agentqRunsInModule";
/** The name of the function that calls into a module to enter its scope: it tells that call from calls of the program. */
export const SCOPE_ENTRY_CALL = "agentqEntersScope";
