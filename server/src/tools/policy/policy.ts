/**
 * The person's own rules about calls, from the settings of their editor: deny, then what they approved before, then the
 * tool's own check, then ask, then allow, then the default by safety.
 */
import type { ToolCall } from "../../protocol/tool-shapes.ts";
import { nearestNames } from "../../base/spelling.ts";
import type { ApprovalNeed, Tool } from "../tool.ts";
import {
  asToolNames,
  mayMean,
  meansFile,
  meansTool,
  parseRule,
  readingsOf,
  surelyMeans,
  type NamedTool,
  type PlacesOf,
  type Rule,
} from "./rules.ts";

export interface PolicyRules {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
  /** A rule that restricts could not be read, so that nobody knows what it was to stop. */
  readonly isDoubtful?: boolean;
}

/** `rule` is the one that decides, as the person wrote it; `because` is the end of a sentence about the call. */
export interface Ruling {
  readonly because: string;
  readonly rule?: string;
}

/** What the rules make of a call that may run as far as the tool itself is concerned. */
export type Verdict =
  | { readonly ask: true; readonly ruling?: Ruling }
  | { readonly ask: false; readonly ruling?: Ruling };

type Kind = "deny" | "ask" | "allow";

export class Policy {
  readonly #rules: Readonly<Record<Kind, readonly Rule[]>>;
  readonly #isDoubtful: boolean;
  readonly #placesOf: PlacesOf;

  constructor({ deny = [], ask = [], allow = [], isDoubtful = false }: PolicyRules = {}, placesOf: PlacesOf = own) {
    this.#rules = { deny: deny.map(parseRule), ask: ask.map(parseRule), allow: allow.map(parseRule) };
    this.#isDoubtful = isDoubtful;
    this.#placesOf = placesOf;
  }

  /** The rule that forbids the call, whoever makes it. */
  denied(tool: NamedTool, args: ToolCall["arguments"]): Ruling | undefined {
    const rule = this.#rules.deny.find((each) => this.#restricts(each, tool, args));
    return rule && { because: `the policy in the editor's settings denies it (${quoted(rule)})`, rule: rule.source };
  }

  /** The rule that forbids to change one of the files, which the arguments of a call need not name. */
  deniedFile(tool: NamedTool, paths: readonly string[]): (Ruling & { readonly path: string }) | undefined {
    for (const rule of this.#rules.deny.filter((each) => meansTool(each, tool))) {
      const path = paths.find((each) => meansFile(rule, each));
      if (path !== undefined)
        return { because: `the policy in the editor's settings denies it (${quoted(rule)})`, rule: rule.source, path };
    }
    return undefined;
  }

  /** The rule that forbids to change some files: a file with several names may have one of theirs. */
  deniesSome(tool: NamedTool): Ruling | undefined {
    const rule = this.#rules.deny.find((each) => each.glob !== undefined && meansTool(each, tool));
    return (
      rule && { because: `the policy in the editor's settings denies some names (${quoted(rule)})`, rule: rule.source }
    );
  }

  /** `need` is what the tool's own check says. A call that its check refused never comes here. */
  verdict(call: ToolCall, tool: Tool, need: Exclude<ApprovalNeed, { refused: string }>, byModel: boolean): Verdict {
    // An edit is decided hunk by hunk whatever the rules say.
    if (tool.asksItself) return { ask: false };
    if (!need.ask && need.because !== undefined) return { ask: false, ruling: { because: need.because } };
    const asks = byModel ? this.#rules.ask.find((rule) => this.#restricts(rule, tool, call.arguments)) : undefined;
    if (asks !== undefined) {
      return {
        ask: true,
        ruling: { because: `the policy in the editor's settings asks about it (${quoted(asks)})`, rule: asks.source },
      };
    }
    if (this.#isDoubtful && tool.safety !== "safe") return { ask: true, ruling: { because: DOUBTFUL } };
    if (!need.ask) return { ask: false };
    const allows = this.#rules.allow.find((rule) => this.#opens(rule, tool, call.arguments));
    if (allows === undefined) return { ask: true };
    return {
      ask: false,
      ruling: { because: `the policy in the editor's settings allows it (${quoted(allows)})`, rule: allows.source },
    };
  }

  #restricts(rule: Rule, tool: NamedTool, args: ToolCall["arguments"]): boolean {
    return readingsOf(tool, args).some(([each, its]) => {
      return meansTool(rule, each) && mayMean(asToolNames(rule, each), its, this.#placesOf);
    });
  }

  /** Where the tool itself wants to ask, as in an open REPL, only a rule that says the very call opens anything. */
  #opens(written: Rule, tool: Tool, args: ToolCall["arguments"]): boolean {
    // A rule about a form means the REPL. What runs in a program of the person's is asked about.
    if (tool.safetyOf?.(args) === "dangerous") return false;
    return readingsOf(tool, args).some(([each, its]) => {
      if (!meansTool(written, each)) return false;
      const rule = asToolNames(written, each);
      if (tool.needsApproval === undefined) return surelyMeans(rule, its, this.#placesOf);
      return rule.text !== undefined && surelyMeans(rule, its, () => []);
    });
  }

  /** A sentence for each rule that can never match, or never does what it says. */
  problems(tools: readonly Tool[]): string[] {
    const heads = new Set(tools.flatMap(({ name, categories }) => [name, ...categories]));
    return (["deny", "ask", "allow"] as const).flatMap((kind) =>
      this.#rules[kind].flatMap((rule) => {
        const problem = problemWith(kind, rule, heads, tools);
        return problem === undefined ? [] : [`The rule "${rule.source}" in policy.${kind} ${problem}`];
      }),
    );
  }
}

const DOUBTFUL =
  "a rule of the policy in the editor's settings cannot be read, so every call that is not safe is asked about";

/** The spelling alone, for tests and where there is no workspace. */
const own: PlacesOf = (text) => [text.replace(/^(?:\.\/)+/, "")];

function quoted({ source }: Rule): string {
  return `rule "${source}"`;
}

function problemWith(kind: Kind, rule: Rule, heads: ReadonlySet<string>, tools: readonly Tool[]): string | undefined {
  if (rule.head !== "*" && !heads.has(rule.head)) {
    const [meant] = nearestNames(rule.head, heads, 1);
    const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
    return `can never match: there is no tool and no category ${rule.head}.${hint}`;
  }
  // Forms have braces that do not match too, but they are seldom written without a blank.
  const looksLikePath = rule.text !== undefined && /[/*]/.test(rule.text) && !/\s/.test(rule.text);
  if (rule.problem !== undefined && looksLikePath) return `can match no path: ${rule.problem}.`;
  const meant = tools.filter((tool) => meansTool(rule, tool));
  if (kind !== "deny" && meant.length > 0 && meant.every(({ asksItself }) => asksItself)) {
    return "changes nothing: an edit is always reviewed, hunk by hunk.";
  }
  if (kind !== "allow" || rule.text !== undefined) return undefined;
  return meant.length > 0 && meant.every((tool) => tool.needsApproval !== undefined || tool.asksItself)
    ? "opens nothing: where code runs with all of your rights, only the exact text of a call can be allowed."
    : undefined;
}
