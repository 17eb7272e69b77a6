/** The parts of an old class that a redefinition carries over to the new one. */

export interface PrivateUser {
  readonly name: string;
  /** The text of the member, as a member of an object literal. */
  readonly code: string;
  readonly uses: readonly string[];
}

/**
 * The work of a redefinition beside changing the binding. The server derives the plan from the old and the new text.
 */
export interface ClassPlan {
  /** Static fields with an unchanged initialiser: they keep the old value. */
  readonly keep: readonly string[];
  readonly keepPrivate: readonly string[];
  /** Static fields that the new text no longer has. */
  readonly drop: readonly string[];
  readonly newFields: readonly string[];
  readonly newPrivates: readonly string[];
  readonly changedPrivateMethods: readonly string[];
  readonly members: readonly PrivateUser[];
  /**
   * Members that fail between instances of the old and of the new class, because a `#name` belongs to one class
   * definition.
   */
  readonly crossing: readonly string[];
  readonly family?: string;
}
