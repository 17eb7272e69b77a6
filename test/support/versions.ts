/**
 * How many versions of Node and of the editors the tests run in, by `AGENTQ_VERSIONS`: `newest` (or nothing) for a person
 * who waits, `all` in CI. The long random walks take their full length with `all`, too.
 */

const EXTENTS = ["newest", "all"] as const;

/** True with `AGENTQ_VERSIONS=all`. */
export const runsAll = readExtent(process.env["AGENTQ_VERSIONS"]) === "all";

/**
 * The versions a test runs in, of those it is written for: the newest alone, or all of them.
 *
 * @param oldestFirst what the test is written for
 */
export function versionsToRun<Version>(oldestFirst: readonly Version[]): readonly Version[] {
  return runsAll ? oldestFirst : oldestFirst.slice(-1);
}

function readExtent(said: string | undefined): (typeof EXTENTS)[number] {
  if (said === undefined || said === "") return "newest";
  const extent = EXTENTS.find((each) => each === said);
  if (extent === undefined) throw new Error(`AGENTQ_VERSIONS is ${said}; it can be ${EXTENTS.join(" or ")}`);
  return extent;
}
