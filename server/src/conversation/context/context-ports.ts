/** What is asked to look up what a person attached or mentioned. */
import type { ToolResult } from "../../protocol/tool-shapes.ts";

export interface ContextDocument {
  readonly path: string;
  readonly text: string;
  /** Open in the editor with a text that the disk does not hold. */
  readonly isUnsaved: boolean;
}

export interface Picture {
  readonly path: string;
  /** `image/png` */
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** Why something cannot or must not be had, in a sentence. */
export interface Refused {
  readonly reason: string;
}

/** Contract: none of them rejects. */
export interface ContextPorts {
  /** The current text of a document. */
  readonly readForContext: (uri: string) => Promise<ContextDocument | Refused>;
  readonly readPicture: (uri: string) => Promise<Picture | Refused>;
  /** What a tool that only looks answers. */
  readonly look: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;
  /** What is at a path of the workspace, on the disk or in the editor; undefined for nothing. */
  readonly placeAt: (path: string) => Promise<FoundPlace | Refused | undefined>;
  /** What is not committed in the workspace folders. */
  readonly diff: () => Promise<{ readonly text: string } | Refused>;
  /** Whether the compiler knows what an address means. */
  readonly isSymbol: (address: string) => Promise<boolean>;
}

export interface FoundPlace {
  readonly kind: "file" | "folder";
  readonly uri: string;
  /** Relative to the workspace folder. */
  readonly path: string;
}
