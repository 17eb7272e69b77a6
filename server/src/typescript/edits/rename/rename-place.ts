/** Places that a rename changes, and places where it would change what the code means. */
import type { Reference } from "../../places.ts";
import type { CompilerTextEdit } from "../workspace-edit.ts";

/** One place that is renamed. */
export interface RenamePlace extends Reference {
  readonly isTest: boolean;
  readonly edit: CompilerTextEdit;
}

export interface RenameConflict {
  /**
   * `declared`: the scope already has that name. `member`: the type has such a member. `hidden`: at this place the
   * new name means something nearer. `intrinsic`: the new name would name a JSX element of the language and not a
   * component. `captured`: a use of the new name here would come to mean the renamed symbol.
   */
  readonly kind: "declared" | "member" | "hidden" | "intrinsic" | "captured";
  readonly place: Reference;
  /** What has the name now; undefined when it has no declaration. */
  readonly other: Reference | undefined;
}
