/** The editor as the compiler's client: what `languageFeatures: "on"` hands to the engine. */

/** What an editor may say of itself in `initialize`, as far as the compiler reads it. */
export interface EditorProfile {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly initializationOptions?: unknown;
  readonly clientInfo?: unknown;
  readonly locale?: string;
}

/**
 * Contract: `request` settles with the editor's answer or rejects with its error; aborting the signal cancels it there.
 * `notify` never throws. Neither may be called before `ready` has settled.
 */
export interface EditorPort {
  readonly profile: EditorProfile;
  /** Settles when the editor has sent `initialized`; before that LSP lets a server ask nothing. */
  readonly ready: Promise<void>;
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

type Json = Readonly<Record<string, unknown>>;

/** A member of a nested object, undefined wherever the way there ends. */
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Json)[key];
  }
  return current;
}

/**
 * The editor's capabilities as the compiler is told: the true ones, but for what the agent's tools need from the same
 * process. `answerForEditor` takes the differences back for the editor.
 */
export function capabilitiesForCompiler(capabilities: Json): Json {
  return withMembers(capabilities, [
    [["general", "positionEncodings"], ["utf-16"]],
    [["textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"], true],
    // 7.0.2 runs a plain-text hover's declaration and documentation together in one word.
    [["textDocument", "hover", "contentFormat"], ["markdown"]],
    // This server reports changes on disk too, so that the compiler need not look by itself.
    [["workspace", "didChangeWatchedFiles", "dynamicRegistration"], true],
    [["workspace", "didChangeWatchedFiles", "relativePatternSupport"], watchesRelatively(capabilities)],
  ]);
}

/** The compiler takes a member that is null for a mistake and ends; an editor means that there is none. */
export function withoutNulls<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutNulls) as Value;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member as unknown)])) as Value;
}

function watchesRelatively(capabilities: Json): boolean {
  const watch = memberAt(capabilities, "workspace", "didChangeWatchedFiles");
  return memberAt(watch, "dynamicRegistration") !== true || memberAt(watch, "relativePatternSupport") === true;
}

function withMembers(value: Json, members: readonly (readonly [readonly string[], unknown])[]): Json {
  return members.reduce<Json>((all, [path, member]) => withMember(all, path, member), value);
}

function withMember(value: unknown, [key, ...rest]: readonly string[], member: unknown): Json {
  const object = typeof value === "object" && value !== null ? (value as Json) : {};
  if (key === undefined) return object;
  return { ...object, [key]: rest.length === 0 ? member : withMember(object[key], rest, member) };
}
