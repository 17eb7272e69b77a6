/** The variables of the environment by which reporters know what to do. */

/** Names the file of events. */
export const EVENTS_VARIABLE = "AGENTQ_TEST_EVENTS";

/** Names the files that were asked for, as JSON. */
export const ASKED_VARIABLE = "AGENTQ_TEST_FILES";
