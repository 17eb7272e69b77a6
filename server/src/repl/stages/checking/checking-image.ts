/**
 * The image with a compiler beside it: every form is type-checked against the session and the project while it runs.
 * What the compiler says becomes notes of the evaluation; it never keeps a form from running.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { STILL_CHECKING } from "./still-checking.ts";
import type { DiagnosticLine } from "../../../protocol/shapes.ts";
import type { Evaluated, EvaluateRequest, Image } from "../../image.ts";
import type { RunningModule } from "../../redefine/running-texts.ts";
import type { CheckableText, FormCheck, FormProblem } from "../../../workspace/checkable-text.ts";
import type { FormModules, PreparedForm } from "./form-modules.ts";
import { given } from "../../../given.ts";
import { errorText } from "../../../protocol/errors.ts";

/** The compiler as it is needed here. Contract: stops on `signal`. */
export type CheckText = (text: CheckableText, signal: AbortSignal) => Promise<FormCheck>;

/** What the compiler said of one form. */
export interface CompilationNotes {
  readonly evalId: string;
  readonly by: EvaluateRequest["by"];
  /** Absolute path of the module in whose scope it ran. */
  readonly module?: string;
  readonly code: string;
  /** `nothing`: the form has no names. `invalid`: the form does not parse, so nothing of it ran; the notes say why. */
  readonly state: "pending" | "checked" | "unchecked" | "nothing" | "invalid";
  readonly reason?: string;
  readonly notes: readonly DiagnosticLine[];
}

export type Checking<Base extends Image> = Base & {
  /** Of the latest forms, newest first; waits a moment for checks that still run. */
  readonly compilationNotes: (signal: AbortSignal) => Promise<readonly CompilationNotes[]>;
};

export interface CheckingOptions {
  /** Absolute path of the project's folder, links resolved. */
  readonly projectRoot: string;
  readonly check: CheckText;
  readonly readModule: (path: string) => Promise<string | undefined>;
  /** What the compiler said of a form after its answer had gone. The agent asks for it, a person is told. */
  readonly onLateNotes: (evalId: string, notes: readonly DiagnosticLine[]) => void;
  readonly log: (message: string) => void;
}

const REMEMBERED = 20;
/** How long a finished evaluation waits for its check. A person at the prompt should not notice. */
const PATIENCE_MS = { person: 150, agent: 1_500 } as const;
/** While checks take longer than that, as when the compiler starts, a person's form waits only so long for its own. */
const SHORT_PATIENCE_MS = 50;
const LATE_PATIENCE_MS = 10_000;
const CHECK_LIMIT_MS = 60_000;

interface Settled extends Pick<CompilationNotes, "state" | "reason" | "notes"> {
  /** It is so for every form: the agent is told once for each image. */
  readonly forAll?: boolean;
}
interface Remembered {
  readonly about: Omit<CompilationNotes, "state" | "reason" | "notes">;
  settled: Promise<Settled>;
}

const PENDING: Settled = { state: "pending", notes: [] };
const NOTHING: Settled = { state: "nothing", notes: [] };

export function checkEvaluations<Base extends Image>(image: Base, options: CheckingOptions): Checking<Base> {
  let forms: FormModules | undefined;
  let latest: readonly Remembered[] = [];
  let numbers = 0;
  let areLate = false;
  let wasTold = false;

  const prepare = async (
    number: number,
    { code, module, words, install }: EvaluateRequest,
    running: readonly RunningModule[],
  ): Promise<ReturnType<FormModules["prepare"]>> => {
    if (words !== undefined) return undefined;
    const text = module === undefined ? undefined : await textOf(module, running);
    if (module !== undefined && text === undefined) return undefined;
    // The parser comes with it, which only a form needs.
    const { createFormModules } = await import("./form-modules.ts");
    forms ??= createFormModules(options.projectRoot);
    const scope = module === undefined || text === undefined ? undefined : { path: module, text };
    return forms.prepare(number, code, scope, running, install !== undefined);
  };

  const forget = (): void => {
    forms?.forget();
    wasTold = false;
  };

  const textOf = async (module: string, running: readonly RunningModule[]): Promise<string | undefined> =>
    running.find(({ path }) => path === module)?.text ?? options.readModule(module);

  const check = async ({ text, doubt }: PreparedForm, code: string, evalId: string): Promise<Settled> => {
    try {
      const answer = await options.check(text, AbortSignal.timeout(CHECK_LIMIT_MS));
      if (answer.kind === "unchecked") return { ...answer, state: "unchecked", notes: [] };
      if (doubt !== undefined && answer.diagnostics.length > 0) return { state: "unchecked", reason: doubt, notes: [] };
      return { state: "checked", notes: answer.diagnostics.map((problem) => toNote(problem, code, evalId)) };
    } catch (error) {
      const reason = errorText(error);
      options.log(`the check of form ${evalId} failed: ${reason}`);
      return { state: "unchecked", reason, notes: [] };
    }
  };

  /** A method by itself is no TypeScript: what it was put into is checked with it from now on. */
  const keepMember = async (code: string): Promise<void> => {
    const { parseMethodForm } = await import("../../source/method-form.ts");
    const member = parseMethodForm(code, {});
    if (member !== undefined) forms?.keepMember(member);
  };

  const evaluate = async (request: EvaluateRequest, signal: AbortSignal): Promise<Evaluated> => {
    // The image numbers forms in the order in which they come, as this does.
    const number = ++numbers;
    const evalId = request.evalId ?? String(number);
    const began = performance.now();
    const running = image.evaluate({ ...request, evalId }, signal);
    // It has brought the modules up to date by now, and has not installed anything yet.
    const modules = image.runningModules();
    const prepared = await prepare(number, request, modules).catch(() => undefined);
    const settled = prepared === undefined ? Promise.resolve(NOTHING) : check(prepared, request.code, evalId);
    if (prepared !== undefined) void settled.then(() => (areLate = performance.now() - began > PATIENCE_MS.person));
    const { by, code, module } = request;
    const about = { evalId, by, code, ...given({ module }) };
    const remembered: Remembered = { about, settled };
    if (request.words === undefined) latest = [remembered, ...latest].slice(0, REMEMBERED);
    const result = await running;
    const problems = whyInvalid(result);
    if (problems.length > 0) remembered.settled = Promise.resolve({ state: "invalid", notes: problems });
    if (result.error?.name === "SyntaxError" && result.error.frames.length <= 1) return result;
    if (result.error?.name === "ModuleNotReachable") return result;
    const isInstalled = result.installation !== undefined;
    // Of what is installed all comes into being, or nothing.
    if (result.stateKept && (isInstalled || request.install === undefined)) prepared?.keep(isInstalled);
    if (isInstalled && module === undefined && prepared === undefined) await keepMember(code);
    if (!result.stateKept) forget();
    const patience = by === "person" && areLate ? SHORT_PATIENCE_MS : PATIENCE_MS[by];
    const { state, notes, forAll } = await Promise.race([settled, sleep(patience, PENDING, { ref: false })]);
    if (state === "pending") areLate = true;
    if (state === "pending") {
      void settled.then((late) => {
        if (late.notes.length > 0) options.onLateNotes(evalId, late.notes);
      });
    }
    const told = state === "pending" && by === "agent" ? [STILL_CHECKING] : [...notes];
    if (forAll === true && by === "agent" && !wasTold) {
      wasTold = true;
      told.push(NEVER_CHECKED);
    }
    return told.length === 0 ? result : { ...result, notes: [...result.notes, ...told] };
  };

  return {
    ...image,
    evaluate,
    restart: () => {
      forget();
      return image.restart();
    },
    compilationNotes: async (signal) => {
      const patience = sleep(LATE_PATIENCE_MS, PENDING, { ref: false, signal }).catch(() => PENDING);
      return Promise.all(
        latest.map(async ({ about, settled }) => {
          const { state, reason, notes } = await Promise.race([settled, patience]);
          return { ...about, state, notes, ...given({ reason }) };
        }),
      );
    },
  };
}

/** Of a form that does not parse its own error is one of its notes, at its place; of one that threw it is not. */
function whyInvalid({ error, notes }: Evaluated): readonly DiagnosticLine[] {
  if (error?.name !== "SyntaxError") return [];
  return notes.filter(({ severity, message }) => severity === "error" && message === error.message);
}

const NEVER_CHECKED: DiagnosticLine = {
  severity: "information",
  message: "Forms are not type-checked here: the workspace has no TypeScript project.",
};

function toNote({ start, end, code, message }: FormProblem, form: string, evalId: string): DiagnosticLine {
  const range = { start: positionAt(form, start), end: positionAt(form, end) };
  return { uri: `repl:${evalId}`, range, severity: "error", code, message: `${code}: ${message}` };
}

function positionAt(text: string, offset: number): { line: number; character: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}
