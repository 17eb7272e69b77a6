/** What installs a form, and where the form goes. */
import type { HolderModule, InstallName } from "../../redefine/installation.ts";
import type { LossSpec } from "../../redefine/lost-state.ts";
import type { MemberText } from "../../redefine/member-merge.ts";
import type { ModuleOutline } from "../../source/outline-types.ts";
import type { Snippet } from "../snippet/snippet.ts";

export interface InstallTarget {
  readonly path?: string;
  readonly isCommonJs: boolean;
  /** The module as it runs. */
  readonly outline?: ModuleOutline;
  readonly holders: readonly HolderModule[];
  /** What a reload would lose, where the form may need one. */
  readonly losses?: LossSpec;
}

export interface ReloadPlan {
  readonly urls: readonly string[];
  /** Takes the reload back when it failed. */
  readonly undo: () => void;
  /** The module and who is loaded with it, project-relative. */
  readonly paths: readonly string[];
  /** Methods that were installed by themselves: the reload is without them. */
  readonly methods: readonly string[];
}

export interface InstallSnippet extends Snippet {
  readonly form: ModuleOutline;
  readonly installs: readonly InstallName[];
  /** The form itself, where the form can be put into the module's source: one method by itself cannot. */
  readonly source?: string;
  readonly member?: MemberText;
  readonly reload?: ReloadPlan;
}
