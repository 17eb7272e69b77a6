/** What redefining a class has to carry over to its new definition. */

export interface PrivateUser {
  readonly name: string;
  /** The text as a member of an object literal. */
  readonly code: string;
  readonly uses: readonly string[];
}

/** Beside swapping the binding. The server makes it of the old and of the new text. */
export interface ClassPlan {
  /** Static fields whose initialiser did not change: the old value is kept. */
  readonly keep: readonly string[];
  readonly keepPrivate: readonly string[];
  /** Static fields that the new text no longer has. */
  readonly drop: readonly string[];
  readonly newFields: readonly string[];
  readonly newPrivates: readonly string[];
  readonly changedPrivateMethods: readonly string[];
  readonly members: readonly PrivateUser[];
  /** Between instances of the old and of the new class these fail: a `#name` belongs to one definition. */
  readonly crossing: readonly string[];
  readonly family?: string;
}
