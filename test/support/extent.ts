/**
 * How much the tests do, by `AGENTQ_TESTS`: `once` (or nothing) for a person who waits and for each push, `all` before a
 * release. With `once` everything runs once: in the newest Node and editors, behind one wall, and 100 cases of each law. With
 * `all` it runs in every version and behind every wall, and each law gets twenty times the cases.
 */

import { it } from "vitest";

const EXTENTS = ["once", "all"] as const;

/** True with `AGENTQ_TESTS=all`. */
export const runsAll = readExtent(process.env["AGENTQ_TESTS"]) === "all";

/**
 * The versions a test runs in, of those it is written for: the newest alone, or all of them.
 *
 * @param oldestFirst what the test is written for
 */
export function versionsToRun<Version>(oldestFirst: readonly Version[]): readonly Version[] {
  return runsAll ? oldestFirst : oldestFirst.slice(-1);
}

/** Of the cases of one promise the first ones, each of which stands for a kind of its own, or all of them. */
export function casesToRun<Case>(kindsFirst: readonly Case[], kinds = 1): readonly Case[] {
  return runsAll ? kindsFirst : kindsFirst.slice(0, kinds);
}

type Body = () => Promise<void> | void;

/** A test with `all` alone: what it promises has a test in a faster layer, and is met there once more at length. */
export function itAtLength(title: string, ...test: [Body] | [options: { readonly timeout: number }, body: Body]): void {
  const options = test.length === 1 ? {} : test[0];
  if (runsAll) it(title, options, test.length === 1 ? test[0] : test[1]);
}

function readExtent(said: string | undefined): (typeof EXTENTS)[number] {
  if (said === undefined || said === "") return "once";
  const extent = EXTENTS.find((each) => each === said);
  if (extent === undefined) throw new Error(`AGENTQ_TESTS is ${said}; it can be ${EXTENTS.join(" or ")}`);
  return extent;
}
