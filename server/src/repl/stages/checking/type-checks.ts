/**
 * Type-checks every form with the side compiler, against the session and the project, while the form runs. The
 * compiler's problems become notes of the evaluation; they never stop a form.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { DiagnosticLine } from "../../../protocol/shapes.ts";
import type { Evaluated, EvaluateRequest } from "../../image.ts";
import type { Run, Stage } from "../stage.ts";
import type { RunningModule } from "../../redefine/running-texts.ts";
import type { CheckableText, FormCheck, FormProblem } from "../../../workspace/checkable-text.ts";
import type { FormModules, PreparedForm } from "./form-modules.ts";
import { given } from "../../../base/given.ts";
import { errorText } from "../../../base/errors.ts";

/** Checks one text. Contract: stops on `signal`. */
export type CheckText = (text: CheckableText, signal: AbortSignal) => Promise<FormCheck>;

/** The compiler's notes on one form. */
export interface CompilationNotes {
  readonly evalId: string;
  readonly by: EvaluateRequest["by"];
  /** Absolute path of the module in whose scope the form ran. */
  readonly module?: string;
  readonly code: string;
  /** `nothing`: the form has no names. `invalid`: the form does not parse, so it did not run; the notes tell why. */
  readonly state: "pending" | "checked" | "unchecked" | "nothing" | "invalid";
  readonly reason?: string;
  readonly notes: readonly DiagnosticLine[];
}

export interface CheckOptions {
  /** Absolute path of the project's folder, with links resolved. */
  readonly projectRoot: string;
  readonly check: CheckText;
  readonly readModule: (path: string) => Promise<string | undefined>;
  /** Called with notes that came after the evaluation's answer. The agent asks for them; a person has to be told. */
  readonly onLateNotes: (evalId: string, notes: readonly DiagnosticLine[]) => void;
  readonly log: (message: string) => void;
}

/** The same number of forms as in the history. */
const REMEMBERED = 1_000;
/** How long a finished evaluation waits for its check. A person at the prompt should not notice the wait. */
const PATIENCE_MS = { person: 150, agent: 1_500 } as const;
/**
 * A person's form waits only this long while checks take longer than a person waits, for instance when the compiler
 * starts.
 */
const SHORT_PATIENCE_MS = 50;
const LATE_PATIENCE_MS = 10_000;
const CHECK_LIMIT_MS = 60_000;

interface Verdict extends Pick<CompilationNotes, "state" | "reason" | "notes"> {
  /** The reason holds for every form, so the agent is told only once per process. */
  readonly forAll?: boolean;
}

/** One form's check. */
interface Check {
  readonly about: Omit<CompilationNotes, "state" | "reason" | "notes">;
  verdict: Promise<Verdict>;
}

const PENDING: Verdict = { state: "pending", notes: [] };
const NOTHING: Verdict = { state: "nothing", notes: [] };

const STILL_CHECKING: DiagnosticLine = {
  severity: "information",
  code: "stillChecking",
  message: "The form's types are still being checked; get_repl_history with the form's id tells the result.",
};
const NEVER_CHECKED: DiagnosticLine = {
  severity: "information",
  message: "Forms are not type-checked here: the workspace has no TypeScript project.",
};

export class TypeChecks implements Stage {
  readonly #options: CheckOptions;
  readonly #runningModules: () => readonly RunningModule[];
  #forms: FormModules | undefined;
  /** The newest comes first. */
  #checks: readonly Check[] = [];
  /** The latest check took longer than a person waits. */
  #areLate = false;
  #wasTold = false;

  constructor(options: CheckOptions, runningModules: () => readonly RunningModule[]) {
    this.#options = options;
    this.#runningModules = runningModules;
  }

  async around(run: Run, next: () => Promise<Evaluated>): Promise<Evaluated> {
    const running = next();
    // The process has the present modules by now, and the form is not installed yet.
    const { check, form } = await this.#begin(run, this.#runningModules());
    const result = await running;
    const problems = whyInvalid(result);
    if (problems.length > 0) check.verdict = Promise.resolve({ state: "invalid", notes: problems });
    if (neverRan(result)) return result;
    await this.#keep(run, form, result);
    const told = await this.#told(run, check);
    return told.length === 0 ? result : { ...result, notes: [...result.notes, ...told] };
  }

  restarting(): void {
    this.#forms?.forget();
    this.#wasTold = false;
  }

  /** Waits for a check that is still running, for a limited time. */
  async notesOf(evalId: string, signal: AbortSignal): Promise<CompilationNotes | undefined> {
    const check = this.#checks.find(({ about }) => about.evalId === evalId);
    if (check === undefined) return undefined;
    const patience = sleep(LATE_PATIENCE_MS, PENDING, { ref: false, signal }).catch(() => PENDING);
    const { state, reason, notes } = await Promise.race([check.verdict, patience]);
    return { ...check.about, state, notes, ...given({ reason }) };
  }

  async #begin(
    { request, number, evalId }: Run,
    modules: readonly RunningModule[],
  ): Promise<{ readonly check: Check; readonly form: PreparedForm | undefined }> {
    const began = performance.now();
    const { by, code, module, tool } = request;
    const about = { evalId, by, code, ...given({ module }) };
    const form = await this.#prepare(number, request, modules).catch(() => undefined);
    const check: Check = { about, verdict: Promise.resolve(NOTHING) };
    if (form !== undefined) {
      check.verdict = this.#check(form, code, evalId);
      void check.verdict.then(() => (this.#areLate = performance.now() - began > PATIENCE_MS.person));
    }
    if (tool === undefined) this.#checks = [check, ...this.#checks].slice(0, REMEMBERED);
    return { check, form };
  }

  async #prepare(
    number: number,
    { code, module, tool, install }: EvaluateRequest,
    running: readonly RunningModule[],
  ): Promise<PreparedForm | undefined> {
    if (tool !== undefined) return undefined;
    const text = module === undefined ? undefined : await this.#textOf(module, running);
    if (module !== undefined && text === undefined) return undefined;
    // This import loads the parser, which only forms need.
    const { FormModules } = await import("./form-modules.ts");
    this.#forms ??= new FormModules(this.#options.projectRoot);
    const scope = module === undefined || text === undefined ? undefined : { path: module, text };
    return this.#forms.prepare({ number, code, isToInstall: install !== undefined }, scope, running);
  }

  async #textOf(module: string, running: readonly RunningModule[]): Promise<string | undefined> {
    return running.find(({ path }) => path === module)?.text ?? this.#options.readModule(module);
  }

  async #check({ text, doubt }: PreparedForm, code: string, evalId: string): Promise<Verdict> {
    try {
      const answer = await this.#options.check(text, AbortSignal.timeout(CHECK_LIMIT_MS));
      if (answer.kind === "unchecked") return { ...answer, state: "unchecked", notes: [] };
      if (doubt !== undefined && answer.diagnostics.length > 0) return { state: "unchecked", reason: doubt, notes: [] };
      return { state: "checked", notes: toNotes(answer.diagnostics, code, evalId) };
    } catch (error) {
      const reason = errorText(error);
      this.#options.log(`the check of form ${evalId} failed: ${reason}`);
      return { state: "unchecked", reason, notes: [] };
    }
  }

  /** Keeps the form's declarations for later forms; forgets all forms when the process has ended. */
  async #keep({ request }: Run, form: PreparedForm | undefined, result: Evaluated): Promise<void> {
    if (!result.stateKept) return this.restarting();
    const isInstalled = result.installation !== undefined;
    // A form that shall be installed is either installed as a whole or not at all.
    if (isInstalled || request.install === undefined) form?.keep(isInstalled);
    if (isInstalled && request.module === undefined && form === undefined) await this.#keepMember(request.code);
  }

  /**
   * A method without its class is not valid TypeScript, so it is put into the text of its class and checked there from
   * now on.
   */
  async #keepMember(code: string): Promise<void> {
    const { parseMethodForm } = await import("../../source/method-form.ts");
    const member = parseMethodForm(code, {});
    if (member !== undefined) this.#forms?.keepMember(member);
  }

  async #told({ request: { by }, evalId }: Run, { verdict }: Check): Promise<DiagnosticLine[]> {
    const patience = by === "person" && this.#areLate ? SHORT_PATIENCE_MS : PATIENCE_MS[by];
    const { state, notes, forAll } = await Promise.race([verdict, sleep(patience, PENDING, { ref: false })]);
    if (state === "pending") {
      this.#areLate = true;
      void verdict.then((late) => {
        if (late.notes.length > 0) this.#options.onLateNotes(evalId, late.notes);
      });
      return by === "agent" ? [STILL_CHECKING] : [];
    }
    if (forAll !== true || by !== "agent" || this.#wasTold) return [...notes];
    this.#wasTold = true;
    return [...notes, NEVER_CHECKED];
  }
}

/** The form did not parse, or its module could not be reached. */
function neverRan({ error }: Evaluated): boolean {
  return (error?.name === "SyntaxError" && error.frames.length <= 1) || error?.name === "ModuleNotReachable";
}

/**
 * The syntax error of a form that does not parse is one of its notes, at its place; an error that the form threw is
 * not.
 */
function whyInvalid({ error, notes }: Evaluated): readonly DiagnosticLine[] {
  if (error?.name !== "SyntaxError") return [];
  return notes.filter(({ severity, message }) => severity === "error" && message === error.message);
}

function toNotes(problems: readonly FormProblem[], form: string, evalId: string): DiagnosticLine[] {
  const uri = `repl:${evalId}`;
  const text = TextDocument.create(uri, "", 0, form);
  return problems.map(({ start, end, code, message }) => {
    const range = { start: text.positionAt(start), end: text.positionAt(end) };
    return { uri, range, severity: "error", code, message: `${code}: ${message}` };
  });
}
