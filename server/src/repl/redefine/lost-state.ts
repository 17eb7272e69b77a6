/** The state that a reload of modules would lose: where the image looks for it, and what the image found. */

export interface LossModule {
  readonly url: string;
  readonly path: string;
  /** Names declared with `let` and `var` are always state. A constant is state when its value can be changed. */
  readonly variables: readonly string[];
  readonly constants: readonly string[];
  readonly classes: readonly string[];
}

export interface LossSpec {
  readonly modules: readonly LossModule[];
  /** Names of the forms that may hold instances. */
  readonly names: readonly string[];
}

export interface Losses {
  readonly state: readonly { readonly path: string; readonly name: string; readonly value: string }[];
  /** Names and handles of the forms that hold instances of the modules' classes. */
  readonly holders: readonly string[];
}
