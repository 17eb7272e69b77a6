/**
 * The state that loading modules anew would lose: what the image is asked to look at, and what the image found there.
 */

export interface LossModule {
  readonly url: string;
  readonly path: string;
  /** `let` and `var` are always state. Constants are state when their value can be written to. */
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
  /** Names and handles of the forms that hold instances of classes there. */
  readonly holders: readonly string[];
}
