/** What the edits of one call share while they are planned. */
import type { EditPorts } from "./define-edit.ts";
import type { DraftFiles } from "./draft-files.ts";

export type PlanPorts = Pick<EditPorts, "resolvePath" | "readDocument" | "seen" | "typescript">;

export interface Plan {
  readonly ports: PlanPorts;
  readonly files: DraftFiles;
  readonly conversation: string | undefined;
  readonly signal: AbortSignal;
  /** What the model must know about texts that it did not see. */
  readonly merged: string[];
  readonly notes: string[];
  /** Folders that were moved, from and to, absolute. */
  readonly folderMoves: [string, string][];
}
