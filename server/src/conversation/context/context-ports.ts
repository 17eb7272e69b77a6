/** What is asked to look up what a person attached or mentioned. */
import type { ToolResult } from "../../protocol/tool-shapes.ts";
import type { WorkspaceTexts } from "../../surroundings/workspace-texts.ts";
import type { DecisionRecord } from "../../tools/consent/decision-record.ts";
import type { SymbolNames } from "../../tools/introspection/symbol-names.ts";
import type { WorkspacePaths } from "../../workspace/workspace-paths.ts";

export interface Picture {
  readonly path: string;
  /** `image/png` */
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

export interface ContextPorts {
  readonly paths: Pick<WorkspacePaths, "resolve" | "folders">;
  readonly texts: Pick<WorkspaceTexts, "at" | "placeAt">;
  readonly decisions: Pick<DecisionRecord, "note">;
  /** What a tool that only looks answers. Contract: never rejects. */
  readonly look: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;
  /** Rejects where the compiler cannot be loaded. */
  readonly symbolNames: () => Promise<SymbolNames>;
}
