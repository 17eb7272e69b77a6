/** What the editor's user set: `initializationOptions`, checked, and a sentence for each setting that is wrong. */
import { describeProblem } from "../base/errors.ts";
import { problemsNow } from "../schema/json-schema.ts";
import { MODEL_INSTEAD, type ProfileSettings } from "../protocol/model-settings.ts";
import type { SchemaType } from "../schema/schema-type.ts";
import { nearestNames } from "../base/spelling.ts";
import { settingsSchema, type McpServerSetting } from "./settings-schema.ts";
import { isObject } from "../base/is-object.ts";
import { capitalized } from "../base/capitalized.ts";

type Given = SchemaType<typeof settingsSchema>;

export interface Settings extends Omit<Given, "profiles" | "prices"> {
  readonly prices?: NonNullable<ProfileSettings["prices"]>;
  readonly profiles: Readonly<Record<string, ProfileSettings>>;
  readonly repl: NonNullable<Given["repl"]>;
  readonly proposals: NonNullable<Given["proposals"]>;
  readonly commands: NonNullable<Given["commands"]>;
  readonly sessions: NonNullable<Given["sessions"]>;
  readonly tools: readonly string[];
  readonly mcpServers: Readonly<Record<string, McpServerSetting>>;
  readonly policy: NonNullable<Given["policy"]> & {
    /** A rule that was to restrict something is wrong, and nobody knows what it was to stop. */
    readonly isDoubtful: boolean;
  };
}

export interface ReadSettings {
  /** What was wrong is left out, so that its default holds. */
  readonly settings: Settings;
  /** One sentence for each setting that is wrong: what is expected, and what holds instead. */
  readonly problems: readonly string[];
}

type Properties = typeof settingsSchema.properties;
/** The settings that can be wrong: nothing is checked of the compiler's own, whose schemas are empty. */
type Checked = { [Name in keyof Properties]: keyof Properties[Name] extends never ? never : Name }[keyof Properties];
type SettingName =
  | Checked
  | "tools.*"
  | "mcpServers.*"
  | "profiles.*"
  | `repl.${keyof Properties["repl"]["properties"]}`
  | `proposals.${keyof Properties["proposals"]["properties"]}`
  | `commands.${keyof Properties["commands"]["properties"]}`
  | `budget.${keyof Properties["budget"]["properties"]}`
  | `sessions.${keyof Properties["sessions"]["properties"]}`
  | `policy.${keyof Properties["policy"]["properties"]}`;

const DOUBTFUL = "Until that is mended you are asked about every call that is not safe.";

/** What holds where a setting is wrong. A name without a sentence here is no setting. */
const INSTEAD: Readonly<Record<string, string>> = {
  ...MODEL_INSTEAD,
  languageFeatures: "The language features are off.",
  instructions: "You are asked before the agent follows AGENTS.md or CLAUDE.md.",
  tools: "No tools of your own are offered.",
  offeredTools: "The model is offered the core of the tools.",
  "tools.*": "That tool is not offered.",
  repl: "The REPL runs confined, with all its defaults.",
  "repl.confinement": "The REPL runs confined.",
  "repl.command": "The REPL runs on this machine.",
  "repl.node": "The REPL runs in the default Node.",
  "repl.network": "The confined REPL has no network.",
  "repl.heapLimitMb": "The heap has Node's own limit.",
  "repl.startup": "No start-up script is evaluated.",
  proposals: "Proposals have all their defaults.",
  "proposals.tests": "The tests of a proposal run only when somebody asks for them.",
  "proposals.keep": "Proposals are kept on the disk.",
  commands: "You are asked about every host that a command names.",
  "commands.hosts": "You are asked about every host that a command names.",
  mcpServers: "No MCP server is started.",
  "mcpServers.*": "That server is not started.",
  sessions: "Conversations have all their defaults.",
  budget: "No budget is held.",
  "budget.turn": "No budget is held for a turn.",
  "budget.session": "No budget is held for a conversation.",
  "budget.day": "No budget is held for a day.",
  "sessions.keep": "Conversations are kept on the disk.",
  "sessions.nameByModel": "Conversations are named where the settings name a cheaper model.",
  "sessions.compactAt": "A conversation is compacted when it fills 80 % of the context window.",
  policy: DOUBTFUL,
  "policy.deny": DOUBTFUL,
  "policy.ask": DOUBTFUL,
  "policy.allow": "It allows nothing.",
} satisfies Record<SettingName, string>;

/** `options` as the editor sent them: anything. */
export function readSettings(options: unknown): ReadSettings {
  const given: unknown = withoutUnset(options) ?? {};
  if (isQuickToTell(given)) return { settings: withDefaults(given), problems: [] };
  const found = problemsNow(settingsSchema, given);
  const wrong = new Set<string>();
  const problems = new Set<string>();
  for (const problem of found) {
    const names = problem.path.split("/").slice(1);
    const setting = settingAt(names);
    wrong.add(setting.path);
    problems.add(setting.isKnown ? describeWrong(setting, problem) : describeUnknown(names));
  }
  // What restricts and cannot be read must not become what restricts nothing.
  const isDoubtful = [...wrong].some((path) => path === "" || /^\/policy(?!\/allow)/.test(path));
  return { settings: withDefaults(without(given, "", wrong) as Given, isDoubtful), problems: [...problems] };
}

/** A client without settings, as most are: the validator need not be read from disk before `initialize` is answered. */
function isQuickToTell(given: unknown): given is Given {
  const isRight = ([name, value]: [string, unknown]): boolean =>
    name === "languageFeatures" && (value === "off" || value === "on");
  return isObject(given) && Object.entries(given).every(isRight);
}

function withDefaults(given: Given | undefined, isDoubtful = false): Settings {
  return {
    ...(given as Omit<Given, "profiles" | "prices"> & Pick<Settings, "prices">),
    profiles: (given?.profiles ?? {}) as Settings["profiles"],
    repl: given?.repl ?? {},
    proposals: given?.proposals ?? {},
    commands: given?.commands ?? {},
    sessions: given?.sessions ?? {},
    tools: given?.tools ?? [],
    mcpServers: (given?.mcpServers ?? {}) as Settings["mcpServers"],
    policy: { ...given?.policy, isDoubtful },
  };
}

/** `null`, and in Lua's JSON an empty table, is how editors write what is not set. */
function withoutUnset(value: unknown): unknown {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  if (!isObject(value)) return value;
  const set = Object.entries(value).map(([name, each]) => [name, withoutUnset(each)] as const);
  return Object.fromEntries(set.filter(([, each]) => each !== undefined));
}

interface SettingPlace {
  /** JSON pointer of what is left out when it is wrong. */
  readonly path: string;
  /** `repl.confinement`, `tools.*` */
  readonly name: string;
  readonly isKnown: boolean;
}

/** A wrong word makes the whole command wrong; a wrong tool or rule only itself. */
function settingAt(names: readonly string[]): SettingPlace {
  const [first = "", second] = names;
  const own = names.slice(0, PARTS[first] ?? 1);
  const isOneOfMany = ["tools", "profiles", "mcpServers"].includes(first) && second !== undefined;
  const name = isOneOfMany ? `${first}.*` : own.slice(0, 2).join(".");
  return {
    path: names.length === 0 ? "" : `/${own.join("/")}`,
    name,
    isKnown: names.length === 0 || Object.hasOwn(INSTEAD, name),
  };
}

/** How many names lead to the smallest part of a setting that is wrong by itself. */
const PARTS: Readonly<Record<string, number>> = {
  repl: 2,
  tools: 2,
  mcpServers: 2,
  profiles: 2,
  proposals: 2,
  commands: 2,
  budget: 2,
  sessions: 2,
  policy: 3,
};

function describeWrong({ name }: SettingPlace, problem: ReturnType<typeof problemsNow>[number]): string {
  const shown = problem.path.slice(1).replaceAll("/", ".");
  const path = shown === "" ? "the settings" : `the setting ${shown}`;
  const { received } = problem;
  // What an MCP server is given may be a key, in the right place or in a wrong one.
  const isSecret = name.startsWith("mcpServers");
  const told = isSecret ? `${path}: expected ${problem.expected}` : describeProblem({ ...problem, path });
  const meant = typeof received === "string" ? nearestNames(received, choicesOf(name), 1) : [];
  const hint = meant.length === 0 ? "" : ` Did you mean "${meant.join()}"?`;
  return `${capitalized(told)}.${hint} ${INSTEAD[name] ?? "None of them is used."}`;
}

/** Without its value, which may be a key that somebody put in the wrong place. */
function describeUnknown(names: readonly string[]): string {
  const [parent, own] = names.length > 1 ? [`${names[0]}.`, names[1] ?? ""] : ["", names[0] ?? ""];
  const known = Object.keys(INSTEAD).filter((name) => !name.endsWith("*"));
  const beside = known.filter((name) => name.startsWith(parent) && !name.slice(parent.length).includes("."));
  const meant = nearestNames(
    own,
    beside.map((name) => name.slice(parent.length)),
    1,
  ).map((name) => parent + name);
  const elsewhere = known.filter((name) => name.split(".").at(-1) === own);
  const [hint] = [...meant, ...elsewhere];
  const advice = hint === undefined ? `The settings are ${beside.join(", ")}.` : `Did you mean ${hint}?`;
  return `There is no setting ${parent}${own}, so it sets nothing. ${advice}${parent === "policy." ? ` ${DOUBTFUL}` : ""}`;
}

function choicesOf(name: string): readonly string[] {
  const [first = "", second] = name.split(".");
  const properties: Readonly<Record<string, object>> = settingsSchema.properties;
  const outer = properties[first] ?? {};
  const inner = "properties" in outer ? (outer.properties as Readonly<Record<string, object>>) : {};
  const schema = (second === undefined ? outer : inner[second]) ?? {};
  return "enum" in schema ? (schema.enum as readonly string[]) : [];
}

function without(value: unknown, path: string, wrong: ReadonlySet<string>): unknown {
  if (wrong.has(path)) return undefined;
  if (Array.isArray(value)) return value.filter((_each, index) => !wrong.has(`${path}/${index}`));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !wrong.has(`${path}/${name}`));
  return Object.fromEntries(kept.map(([name, each]) => [name, without(each, `${path}/${name}`, wrong)]));
}
