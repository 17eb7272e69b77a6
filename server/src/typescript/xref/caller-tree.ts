/** The callers of the callers, breadth first, with cycles and repetitions marked instead of followed. */
import { findCallers, type CallSite } from "./callers.ts";
import { formatAddress } from "../names/address.ts";
import type { Declaration, SymbolTarget } from "../names/tree/declaration.ts";
import { declarationOf } from "../names/tree/qualified-name.ts";
import type { View } from "../view.ts";

export interface CallerNode {
  readonly address: string;
  readonly sites: readonly CallSite[];
  /** Why there is nothing below: the caller calls itself in a circle, is elsewhere in the tree, or met a limit. */
  readonly stop: "cycle" | "shown above" | "depth" | "limit" | "module" | undefined;
  readonly callers: readonly CallerNode[];
}

export interface CallerTree {
  readonly callers: readonly CallerNode[];
  /** Callers that were not followed because the tree reached its size. */
  readonly notFollowed: number;
}

const MAX_NODES = 100;

interface Growing {
  readonly view: View;
  readonly depth: number;
  readonly seen: Set<string>;
  expanded: number;
  notFollowed: number;
}

interface Draft {
  readonly address: string;
  readonly sites: readonly CallSite[];
  stop: CallerNode["stop"];
  callers: Draft[];
}

interface Branch {
  readonly draft: Draft;
  readonly declaration: Declaration;
  readonly above: ReadonlySet<string>;
}

/** `sites` are the direct calls of the target, which are level 1. */
export async function callerTree(
  view: View,
  target: SymbolTarget,
  sites: readonly CallSite[],
  depth: number,
): Promise<CallerTree> {
  const growing: Growing = { view, depth, seen: new Set([target.address]), expanded: 0, notFollowed: 0 };
  const root: Draft = { address: target.address, sites: [], stop: undefined, callers: [] };
  let level = attach(growing, root, sites, new Set([target.address]));
  for (let at = 2; at <= depth && level.length > 0; at += 1) {
    const next: Branch[] = [];
    for (const branch of level) next.push(...(await expand(growing, branch)));
    level = next;
  }
  for (const { draft } of level) draft.stop ??= "depth";
  return { callers: root.callers, notFollowed: growing.notFollowed };
}

async function expand(growing: Growing, { draft, declaration, above }: Branch): Promise<Branch[]> {
  if (growing.expanded >= MAX_NODES) {
    draft.stop = "limit";
    growing.notFollowed += 1;
    return [];
  }
  growing.expanded += 1;
  const { file, path } = declaration;
  const target: SymbolTarget = { file, path, declarations: [declaration], overload: undefined, address: draft.address };
  const { sites } = await findCallers(growing.view, target);
  return attach(growing, draft, sites, new Set([...above, draft.address]));
}

/** Hangs one draft per caller under `parent` and returns those worth following. */
function attach(growing: Growing, parent: Draft, sites: readonly CallSite[], above: ReadonlySet<string>): Branch[] {
  const branches: Branch[] = [];
  const groups = Map.groupBy(sites, (site) => formatAddress(growing.view.paths.show(site.file), site.caller));
  for (const [address, group] of groups) {
    const draft: Draft = { address, sites: group, stop: undefined, callers: [] };
    parent.callers.push(draft);
    const node = group[0]?.callerNode;
    if (node === undefined) draft.stop = "module";
    else if (above.has(address)) draft.stop = "cycle";
    else if (growing.seen.has(address)) draft.stop = "shown above";
    else {
      growing.seen.add(address);
      branches.push({ draft, declaration: declarationOf(node, node.getSourceFile()), above });
    }
  }
  return branches;
}
