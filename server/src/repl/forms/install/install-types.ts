/** The code that installs a form, and the target of the installation. */
import type { HolderModule, InstallName } from "../../redefine/installation.ts";
import type { LossSpec } from "../../redefine/lost-state.ts";
import type { MemberText } from "../../redefine/member-merge.ts";
import type { ModuleOutline } from "../../source/outline-types.ts";
import type { Snippet } from "../snippet/snippet.ts";

export interface InstallTarget {
  readonly path?: string;
  readonly isCommonJs: boolean;
  /** The outline of the running module. */
  readonly outline?: ModuleOutline;
  readonly holders: readonly HolderModule[];
  /** The state that a reload would lose, when the form may need a reload. */
  readonly losses?: LossSpec;
}

export interface ReloadPlan {
  readonly urls: readonly string[];
  /** Takes the reload back after a failure. */
  readonly undo: () => void;
  /** Paths relative to the project: the module, and the modules that are loaded with it. */
  readonly paths: readonly string[];
  /** Methods that were installed without their class: the reload does not have them. */
  readonly methods: readonly string[];
}

export interface InstallSnippet extends Snippet {
  readonly form: ModuleOutline;
  readonly installs: readonly InstallName[];
  /** The form's text, when it can be merged into the module's source; a method without its class cannot. */
  readonly source?: string;
  readonly member?: MemberText;
  readonly reload?: ReloadPlan;
}
