/**
 * Questions about values that run no evaluation, and the image's answers. Of the user's code only the root expression
 * runs, and V8 gives it up before it has a side effect.
 */
import type { ValuePage } from "../../../protocol/repl-shapes.ts";

/** The value at which a walk begins. */
export interface ValueRoot {
  /** A JavaScript expression. */
  readonly expression: string;
  /** The identifiers of the expression; with a `module`, only those that are the module's own names. */
  readonly names: readonly string[];
  /** URL of the module in whose scope the expression is read. */
  readonly module?: string;
  /**
   * The same root as a name and steps, when the expression consists of names and dots only: a walk needs no evaluation.
   */
  readonly chain?: { readonly base: string; readonly steps: readonly string[] };
}

export interface PageQuery {
  /** Counted from 0. */
  readonly page: number;
  readonly size: number;
}

export type Inquiry =
  | {
      readonly op: "page";
      readonly root: ValueRoot;
      /** Steps that `parseStep` can read. */
      readonly path: readonly string[];
      /** Counted from 0. */
      readonly page: number;
      readonly size: number;
    }
  /** Without a root: the names of the session and of the global object. `awaits`: the names of the promise's value. */
  | { readonly op: "members"; readonly root?: ValueRoot; readonly awaits?: true }
  /** Tries to get the root's value without side effects, and keeps the value for the evaluation that follows. */
  | { readonly op: "trial"; readonly root: ValueRoot }
  /** Gives a kept value a second handle; forms may still use the first one. */
  | { readonly op: "alias"; readonly from: string; readonly to: string };

export type InquiryAnswer =
  | { readonly kind: "page"; readonly page: RawPage }
  | { readonly kind: "members"; readonly members: readonly RawName[]; readonly isCut: boolean }
  | { readonly kind: "done" }
  | { readonly kind: "tried"; readonly token: string }
  /** The image could not look in time, or an evaluation is being stopped. */
  | { readonly kind: "busy" }
  | { readonly kind: "refused"; readonly why: Refusal; readonly reason: string };

/** `effect`: the root would have a side effect. `getter`: a step is an accessor, which is never called. */
export type Refusal = "effect" | "error" | "missing" | "getter" | "slow";

export type ValueKind = ValuePage["kind"];

export type MemberKind = "property" | "symbol" | "entry" | "element" | "getter" | "private" | "internal";

export interface RawMember {
  /** The step that leads to the member; absent when no step does. */
  readonly step?: string;
  readonly name: string;
  readonly kind: MemberKind;
  readonly preview: string;
  readonly type: string;
  /** The member has members itself. */
  readonly opens?: true;
  /** The step to the key of a map entry, when the key is an object. */
  readonly keyStep?: string;
  /** The class that declares an inherited getter. */
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
  /** Short facts: name and text. */
  readonly facts: readonly (readonly [string, string])[];
  /** The members of this page. */
  readonly members: readonly RawMember[];
  /**
   * Members that `total` does not include: private fields, getters of the class, the prototype, the value of a promise
   * or a proxy.
   */
  readonly extras: readonly RawMember[];
  /** The number of all members; for a string, its characters. */
  readonly total: number;
  /** The part of a string that this page shows. */
  readonly text?: string;
  /**
   * The facts that only the inspector can add: private fields, a promise's state, a proxy's target, a function's place.
   */
  readonly probe?: "private" | "promise" | "proxy" | "function" | "generator" | "weak";
  readonly place?: SourcePlace;
  /** The time was up before all previews were made. */
  readonly isHasty?: true;
}

export interface RawName {
  readonly name: string;
  readonly kind: "variable" | "function" | "class" | "property" | "method" | "getter" | "constant" | "module";
  readonly type?: string;
  /** The distance in the prototype chain: 0 is the value's own. */
  readonly depth: number;
}
