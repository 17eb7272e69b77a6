/**
 * Questions about values that run no evaluation, and what the image answers. Only the expression at the root is the
 * user's code that runs, and V8 gives it up as soon as it would have an effect.
 */
import type { ValuePage } from "../../../protocol/repl-shapes.ts";

/** Where a walk begins. */
export interface ValueRoot {
  /** JavaScript. */
  readonly expression: string;
  /** The identifiers in it, or with a `module` those of the module's own names that are in it. */
  readonly names: readonly string[];
  /** URL of the module in whose scope it is read. */
  readonly module?: string;
  /** The same root as a walk, where the expression is nothing but names and dots: a walk needs no evaluation. */
  readonly chain?: { readonly base: string; readonly steps: readonly string[] };
}

export interface PageQuery {
  /** From 0. */
  readonly page: number;
  readonly size: number;
}

export type Inquiry =
  | {
      readonly op: "page";
      readonly root: ValueRoot;
      /** Steps as `parseStep` reads them. */
      readonly path: readonly string[];
      /** From 0. */
      readonly page: number;
      readonly size: number;
    }
  /** Without a root: the names of the session and of the global object. `awaits`: the names of what the promise holds. */
  | { readonly op: "members"; readonly root?: ValueRoot; readonly awaits?: true }
  /** Tries to get the root's value without side effects, and keeps it for the evaluation that follows. */
  | { readonly op: "trial"; readonly root: ValueRoot }
  /** Gives a kept value a second handle, for forms that name it by the old one. */
  | { readonly op: "alias"; readonly from: string; readonly to: string };

export type InquiryAnswer =
  | { readonly kind: "page"; readonly page: RawPage }
  | { readonly kind: "members"; readonly members: readonly RawName[]; readonly isCut: boolean }
  | { readonly kind: "done" }
  | { readonly kind: "tried"; readonly token: string }
  /** The image could not look in time, or is just being stopped. */
  | { readonly kind: "busy" }
  | { readonly kind: "refused"; readonly why: Refusal; readonly reason: string };

/** `effect`: the root would have an effect. `getter`: a step is an accessor, which is never called. */
export type Refusal = "effect" | "error" | "missing" | "getter" | "slow";

export type ValueKind = ValuePage["kind"];

export type MemberKind = "property" | "symbol" | "entry" | "element" | "getter" | "private" | "internal";

export interface RawMember {
  /** The step that leads here; absent when no path does. */
  readonly step?: string;
  readonly name: string;
  readonly kind: MemberKind;
  readonly preview: string;
  readonly type: string;
  /** There is something inside. */
  readonly opens?: true;
  /** The step to the key of a map entry, where the key is an object. */
  readonly keyStep?: string;
  /** The class that an inherited getter belongs to. */
  readonly from?: string;
  readonly isHidden?: true;
}

export interface SourcePlace {
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

export interface RawPage {
  readonly kind: ValueKind;
  readonly type: string;
  readonly preview: string;
  /** Short facts in words: name and text. */
  readonly facts: readonly (readonly [string, string])[];
  /** The members of this page. */
  readonly members: readonly RawMember[];
  /** What is not counted: private fields, getters of the class, the prototype, what a promise or a proxy holds. */
  readonly extras: readonly RawMember[];
  /** Members altogether; characters of a string. */
  readonly total: number;
  /** The piece of a string that this page is. */
  readonly text?: string;
  /** What only the inspector can add: private fields, a promise's state, a proxy's target, a function's place. */
  readonly probe?: "private" | "promise" | "proxy" | "function" | "generator" | "weak";
  readonly place?: SourcePlace;
  /** Previews stopped because time was up. */
  readonly isHasty?: true;
}

export interface RawName {
  readonly name: string;
  readonly kind: "variable" | "function" | "class" | "property" | "method" | "getter" | "constant" | "module";
  readonly type?: string;
  /** How far up the prototype chain: 0 is the value's own. */
  readonly depth: number;
}
