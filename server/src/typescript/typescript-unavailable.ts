/** The one failure of a question that is no bug: there is no compiler to ask. */

/** Says in a sentence for the reader why there is no compiler to ask, and what to do. */
export class TypeScriptUnavailable extends Error {
  override readonly name = "TypeScriptUnavailable";
}
