/** What an MCP client can read: by the same tools, and through the same executor, as its calls. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import { showHidden } from "../../workspace/hidden-characters.ts";
import type { ToolResult } from "../../protocol/tool-shapes.ts";
import type { Services } from "../../services.ts";

export const PROPOSALS = "agentq://proposals";
export const REPL_HISTORY = "agentq://repl-history";
const [TEXT, JSON_TEXT, DIFF] = ["text/plain", "application/json", "text/x-diff"] as const;

/** The tools that answer. */
const TOOLS = new Map([
  ["agentq://diagnostics", "get_diagnostics"],
  [REPL_HISTORY, "get_repl_history"],
]);

const DIAGNOSTICS = "The compiler's errors and warnings in the whole workspace.";
const HISTORY = "The latest evaluations in the REPL.";
const PROPOSED = "The edits that were proposed here and that nobody has decided on, each with the URI of its patch.";

export const resources: Resource[] = [
  { uri: "agentq://diagnostics", name: "diagnostics", description: DIAGNOSTICS, mimeType: TEXT },
  { uri: REPL_HISTORY, name: "repl-history", description: HISTORY, mimeType: TEXT },
  { uri: PROPOSALS, name: "proposals", description: PROPOSED, mimeType: JSON_TEXT },
];

export const resourceTemplates = [
  { uriTemplate: `${PROPOSALS}/{proposalId}`, name: "patch", description: "For git apply.", mimeType: DIFF },
];

/** Throws for what does not tell of its changes: the compiler finds out when it is asked. */
export function checkSubscribable(uri: string): void {
  if (uri === REPL_HISTORY || uri === PROPOSALS) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `${uri} tells of no changes; ${REPL_HISTORY} and ${PROPOSALS} do.`,
  );
}

export interface ResourceParts extends Pick<Services, "proposals"> {
  /** Calls a tool as the client would. */
  readonly run: (name: string) => Promise<ToolResult>;
  /** The ids of the client's own proposals. */
  readonly proposed: ReadonlySet<string>;
}

/** Rejects with a `ProtocolError` for what cannot be read. */
export async function readResource(
  uri: string,
  { proposals, run, proposed }: ResourceParts,
): Promise<ReadResourceResult> {
  const of = (mimeType: string, text: string): ReadResourceResult => ({ contents: [{ uri, mimeType, text }] });
  const name = TOOLS.get(uri);
  if (name !== undefined) {
    const { success, content, error } = await run(name);
    if (!success) throw new ProtocolError(ProtocolErrorCode.InternalError, error ?? `${name} failed.`);
    return of(TEXT, showHidden(content));
  }
  if (uri === PROPOSALS) {
    const items = [...proposed].map((id) => {
      const { title, why, hunks } = proposals.open(id);
      return { title, why, hunks: hunks.length, patch: `${PROPOSALS}/${id}` };
    });
    return of(JSON_TEXT, JSON.stringify({ items }, undefined, 2));
  }
  const id = uri.startsWith(`${PROPOSALS}/`) ? uri.slice(PROPOSALS.length + 1) : "";
  if (!proposed.has(id)) throw new ResourceNotFoundError(uri, `There is no ${uri} here. resources/list tells what is.`);
  return of(DIFF, proposals.patch(id).patch);
}
