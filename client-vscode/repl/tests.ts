/** The project's tests in VS Code's Test Explorer, run by the server: text that is not saved counts, and proposed edits can. */
import * as vscode from "vscode";
import { plural } from "../../server/src/base/plural.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { FailedTest, TestVerdict } from "../../server/src/protocol/proposal-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { tell, type Agentq } from "../server/agentq.ts";
import { fileName } from "./evaluator.ts";
import { namePattern, testsIn, type TestNode } from "./outline.ts";
import { rangeOf } from "./selection.ts";
import { outcomesOf, problemOf, type ListedTest } from "./verdict.ts";

const FILES = ["**/*.{test,spec}.{ts,tsx,mts,cts,js,jsx,mjs,cjs}", "**/__tests__/**/*.{ts,tsx,js,jsx}"];
const BUILT = "**/{node_modules,dist,out,build,coverage}/**";

/** Of several folders, the server runs the tests of the first one. */
function patterns(): vscode.RelativePattern[] {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return folder === undefined ? [] : FILES.map((pattern) => new vscode.RelativePattern(folder, pattern));
}

export class Tests implements vscode.Disposable {
  readonly #agentq: Agentq;
  readonly #controller = vscode.tests.createTestController("agentq", "Agent-Q");
  readonly #listening: vscode.Disposable;
  /** What VS Code's items do not say of themselves. */
  readonly #listed = new WeakMap<vscode.TestItem, ListedTest>();

  constructor(agentq: Agentq) {
    this.#agentq = agentq;
    const { Run } = vscode.TestRunProfileKind;
    this.#controller.createRunProfile("Run", Run, async (asked, token) => await this.#run(asked, token), true);
    this.#controller.createRunProfile(
      "Run with the Proposed Edits",
      Run,
      async (asked, token) => await this.#runProposed(asked, token),
    );
    this.#controller.resolveHandler = async (item) =>
      await (item === undefined ? this.#findFiles() : this.#findTests(item));
    this.#controller.refreshHandler = async () => await this.#findFiles();
    const watchers = patterns().map((pattern) => vscode.workspace.createFileSystemWatcher(pattern));
    this.#listening = vscode.Disposable.from(
      ...watchers,
      ...watchers.flatMap((watcher) => [
        watcher.onDidCreate((uri) => void this.#fileItem(uri)),
        watcher.onDidDelete((uri) => this.#controller.items.delete(uri.toString())),
        watcher.onDidChange((uri) => {
          const item = this.#controller.items.get(uri.toString());
          if (item !== undefined) tell(this.#findTests(item));
        }),
      ]),
      agentq.onDidStart(() => {
        for (const [, item] of this.#controller.items) if (item.error !== undefined) tell(this.#findTests(item));
      }),
    );
  }

  dispose(): void {
    this.#listening.dispose();
    this.#controller.dispose();
  }

  async #findFiles(): Promise<void> {
    const found = await Promise.all(patterns().map((pattern) => vscode.workspace.findFiles(pattern, BUILT)));
    const items = new Map(found.flat().map((uri) => [uri.toString(), this.#fileItem(uri)]));
    this.#controller.items.replace([...items.values()]);
  }

  #fileItem(uri: vscode.Uri): vscode.TestItem {
    const known = this.#controller.items.get(uri.toString());
    if (known !== undefined) return known;
    const item = this.#controller.createTestItem(uri.toString(), fileName(uri.toString()), uri);
    item.canResolveChildren = true;
    this.#listed.set(item, { id: item.id, uri: uri.toString(), titles: [], isSuite: true });
    this.#controller.items.add(item);
    return item;
  }

  async #findTests(file: vscode.TestItem): Promise<void> {
    if (file.uri === undefined) return;
    if (!this.#agentq.isRunning) return void (file.error = "The tests are listed once the server runs.");
    const answer = await this.#call("document_outline", { path: file.uri.fsPath });
    file.error = undefined;
    if (answer.success) file.children.replace(this.#items(file, [], testsIn(answer.content)));
  }

  #items(parent: vscode.TestItem, titles: readonly string[], nodes: readonly TestNode[]): vscode.TestItem[] {
    const { uri } = parent;
    if (uri === undefined) return [];
    const seen = new Map<string, number>();
    return nodes.map((node) => {
      // Two tests can have one name.
      const count = (seen.get(node.title) ?? 0) + 1;
      seen.set(node.title, count);
      const id = `${parent.id}\n${node.title}${count === 1 ? "" : ` ${count}`}`;
      const item = this.#controller.createTestItem(id, showHidden(node.title), uri);
      item.range = new vscode.Range(node.line, 0, node.lastLine, 0);
      const own = [...titles, node.title];
      this.#listed.set(item, { id, uri: uri.toString(), titles: own, isSuite: node.isSuite });
      item.children.replace(this.#items(item, own, node.tests));
      return item;
    });
  }

  async #call(name: string, args: Record<string, unknown>, token?: vscode.CancellationToken): Promise<ToolResult> {
    return await this.#agentq.request("agentq/callTool", { name, arguments: args }, token);
  }

  async #run(asked: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.#controller.createTestRun(asked);
    try {
      const all = [...this.#controller.items].map(([, item]) => item);
      // All of it is one run of the project's own runner.
      const parts = asked.include === undefined ? [all] : asked.include.map((item) => [item]);
      for (const items of parts) {
        if (token.isCancellationRequested) break;
        const [one] = asked.include === undefined ? [] : items;
        await this.#runPart(run, { items, one, excluded: asked.exclude ?? [] }, token);
      }
    } finally {
      run.end();
    }
  }

  async #runPart(
    run: vscode.TestRun,
    {
      items,
      one,
      excluded,
    }: {
      readonly items: readonly vscode.TestItem[];
      readonly one: vscode.TestItem | undefined;
      readonly excluded: readonly vscode.TestItem[];
    },
    token: vscode.CancellationToken,
  ): Promise<void> {
    // The tests of a file are known once somebody looked, and lines move.
    await Promise.all(items.filter(({ parent }) => parent === undefined).map((file) => this.#findTests(file)));
    const tests = items
      .flatMap((item) => family(item))
      .filter((item) => !excluded.some((out) => family(out).includes(item)));
    for (const item of tests) run.started(item);
    const listed = one === undefined ? undefined : this.#listed.get(one);
    const path = listed === undefined ? {} : { path: vscode.Uri.parse(listed.uri).fsPath };
    const name =
      listed === undefined || listed.titles.length === 0 ? {} : { name: namePattern(listed.titles, listed.isSuite) };
    try {
      const answer = await this.#call("run_tests", { ...path, ...name, limit: 100 }, token);
      run.appendOutput(
        `${showHidden(answer.success ? answer.content : (answer.error ?? "")).replaceAll("\n", "\r\n")}\r\n`,
      );
      if (answer.tests === undefined) this.#problem(run, items, answer.error ?? "No test was run.");
      else this.#tell(run, { verdict: answer.tests, content: answer.content, asked: items }, tests);
    } catch (error) {
      if (!token.isCancellationRequested)
        this.#problem(run, items, error instanceof Error ? error.message : String(error));
      for (const item of tests) run.skipped(item);
    }
  }

  #tell(
    run: vscode.TestRun,
    told: { readonly verdict: TestVerdict; readonly content: string; readonly asked: readonly vscode.TestItem[] },
    tests: readonly vscode.TestItem[],
  ): void {
    const { verdict, content, asked } = told;
    const problem = problemOf(verdict);
    if (verdict.state !== "done") return this.#problem(run, asked, problem ?? "No test was run.");
    if (problem !== undefined) run.appendOutput(`${problem.replaceAll("\n", "\r\n")}\r\n`);
    const byId = new Map(tests.map((item) => [item.id, item]));
    const listed = tests.flatMap((item) => this.#listed.get(item) ?? []);
    const outcomes = outcomesOf(verdict, listed, content);
    for (const failure of outcomes.unlisted) {
      const item = this.#unlisted(failure);
      run.failed(item, message(failure));
    }
    const each = (ids: readonly string[], tellOne: (item: vscode.TestItem) => void): void => {
      for (const item of ids.flatMap((id) => byId.get(id) ?? [])) tellOne(item);
    };
    for (const [id, failures] of outcomes.failed) each([id], (item) => run.failed(item, failures.map(message)));
    each(outcomes.passed, (item) => run.passed(item));
    each(outcomes.skipped, (item) => run.skipped(item));
    // A file in which nothing is listed stands for its tests.
    const bad = new Set(verdict.failures.map(({ uri }) => uri));
    for (const item of tests) {
      const isFile = this.#listed.get(item)?.titles.length === 0;
      if (isFile && item.children.size === 0 && verdict.files.includes(item.id) && !bad.has(item.id)) run.passed(item);
    }
  }

  /** A test whose name is made while it runs. */
  #unlisted(failure: FailedTest): vscode.TestItem {
    const uri = vscode.Uri.parse(failure.uri);
    const file = this.#fileItem(uri);
    const item = this.#controller.createTestItem(`${file.id}\n${failure.name}`, showHidden(failure.name), uri);
    if (failure.range !== undefined) item.range = rangeOf(failure.range);
    this.#listed.set(item, { id: item.id, uri: failure.uri, titles: failure.name.split(" > "), isSuite: false });
    file.children.add(item);
    return item;
  }

  #problem(run: vscode.TestRun, items: readonly vscode.TestItem[], why: string): void {
    const words = new vscode.TestMessage(showHidden(why));
    for (const item of items) run.errored(item, words);
    run.appendOutput(`${showHidden(why).replaceAll("\n", "\r\n")}\r\n`);
  }

  /** The tests that import what a waiting proposal changes, with all its hunks in place. Nothing is written. */
  async #runProposed(asked: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.#controller.createTestRun(asked, "with the proposed edits");
    try {
      const { items: proposals } = await this.#agentq.request("agentq/listProposals", { state: "pending" });
      if (proposals.length === 0) void vscode.window.showInformationMessage("No proposal waits.");
      for (const { proposalId, title, hunks } of proposals) {
        if (token.isCancellationRequested) break;
        run.appendOutput(`With all hunks of “${showHidden(title)}”:\r\n`);
        const accepted = hunks
          .filter(({ state }) => state !== "rejected")
          .map(({ id }) => ({ id, decision: "accept" as const }));
        const verdict = await this.#agentq.request("agentq/testSubset", { proposalId, hunks: accepted }, token);
        const files = verdict.files.map((uri) => this.#fileItem(vscode.Uri.parse(uri)));
        await Promise.all(files.map((file) => this.#findTests(file)));
        run.appendOutput(`${summary(verdict)}\r\n`);
        this.#tell(
          run,
          { verdict, content: "", asked: asked.include ?? [] },
          files.flatMap((file) => family(file)),
        );
      }
    } catch (error) {
      if (!token.isCancellationRequested) tell(Promise.reject(error));
    } finally {
      run.end();
    }
  }
}

function summary(verdict: TestVerdict): string {
  const { passed, failed, files } = verdict;
  const words = `${passed} of ${plural(passed + failed, "test")} pass (${plural(files.length, "file")})`;
  return [verdict.state === "done" ? words : "", problemOf(verdict) ?? ""].filter((part) => part !== "").join(": ");
}

function family(item: vscode.TestItem): vscode.TestItem[] {
  return [item, ...[...item.children].flatMap(([, child]) => family(child))];
}

function message(failure: FailedTest): vscode.TestMessage {
  const told = new vscode.TestMessage(showHidden(failure.message));
  if (failure.range !== undefined)
    told.location = new vscode.Location(vscode.Uri.parse(failure.uri), rangeOf(failure.range));
  return told;
}
