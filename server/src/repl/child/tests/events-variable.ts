/** The environment variables that tell reporters what to do. */

/** The variable with the path of the file of events. */
export const EVENTS_VARIABLE = "AGENTQ_TEST_EVENTS";

/** The variable with the files that were asked for, as JSON. */
export const ASKED_VARIABLE = "AGENTQ_TEST_FILES";
