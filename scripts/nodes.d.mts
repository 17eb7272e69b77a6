export type NodeMajor = 22 | 24 | 26;

export const majors: readonly NodeMajor[];

/** The Node of a major version that is here already, or undefined. */
export function findNode(major: NodeMajor): string | undefined;

/** Fetches what is missing and says what could not be had. */
export function provideNodes(wanted?: readonly NodeMajor[]): {
  nodes: { major: NodeMajor; path: string }[];
  missing: { name: string; reason: string }[];
};
