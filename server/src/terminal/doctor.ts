/** `agentq doctor`: what is installed, what is missing, what to type. Needs no server and changes nothing. */
import { existsSync } from "node:fs";
import path from "node:path";
import { modelStatus, readProfiles } from "../model/profiles.ts";
import { searchFolders, startNothingOf } from "../process/search-path.ts";
import { proxyOnTheWay, useWebProxy } from "../base/web-proxy.ts";

type Verdict = "ok" | "warning" | "missing";

interface Finding {
  readonly verdict: Verdict;
  readonly subject: string;
  readonly detail: string;
  /** What to type. */
  readonly remedy?: string;
}

const MARKS: Readonly<Record<Verdict, string>> = { ok: "ok     ", warning: "warning", missing: "missing" };

/** Prints the findings; the exit code is 1 when something the server cannot work without is missing. */
export async function runDoctor(version: string): Promise<number> {
  startNothingOf([process.cwd()]);
  const engines = [await compiler(), await transpiler(), await search(), await wall()];
  const findings = [node(), ...engines, project(process.cwd()), ...searchPath(), model()];
  const lines = [`agentq ${version}`, ""];
  for (const { verdict, subject, detail, remedy } of findings) {
    lines.push(`${MARKS[verdict]}  ${subject}: ${detail}`);
    if (remedy !== undefined) lines.push(`         → ${remedy}`);
  }
  lines.push("", "Editor set-up: docs/neovim.md and docs/emacs.md beside this program.");
  process.stdout.write(`${lines.join("\n")}\n`);
  return findings.some((finding) => finding.verdict === "missing") ? 1 : 0;
}

function node(): Finding {
  return { verdict: "ok", subject: "Node", detail: `${process.versions.node} at ${process.execPath}` };
}

async function compiler(): Promise<Finding> {
  try {
    const { compilerVersion } = await import("../typescript/compiler-version.ts");
    const { compilerProblem } = await import("../typescript/session/native-program.ts");
    const problem = await compilerProblem();
    if (problem !== undefined) return missing("TypeScript", problem, "npm install, in the folder of agentq");
    return { verdict: "ok", subject: "TypeScript", detail: `${compilerVersion} (native)` };
  } catch (error) {
    return missing("TypeScript", error, "npm install, in the folder of agentq");
  }
}

async function transpiler(): Promise<Finding> {
  try {
    const { transpilerVersions } = await import("../repl/source/transpiler-versions.ts");
    return { verdict: "ok", subject: "REPL transpiler", detail: transpilerVersions() };
  } catch (error) {
    return missing("REPL transpiler", error, "npm install, in the folder of agentq");
  }
}

async function search(): Promise<Finding> {
  try {
    const { installedRipgrep } = await import("../search/ripgrep.ts");
    return { verdict: "ok", subject: "Text search", detail: `ripgrep at ${await installedRipgrep()}` };
  } catch (error) {
    const remedy = "npm install, in the folder of agentq; until then search_text and search_files do not work";
    return { ...missing("Text search", error, remedy), verdict: "warning" };
  }
}

/** Tried out, as the server does: a setting of the system alone does not tell. */
async function wall(): Promise<Finding> {
  const [{ findWall }, { wallName }, { toldWall }, { passedEnvironment }, { canConfine, NEEDED }] = await Promise.all([
    import("../sandbox/find-wall.ts"),
    import("../sandbox/wall/wall.ts"),
    import("../sandbox/wall/told-wall.ts"),
    import("../process/child-environment.ts"),
    import("../repl/confinement/limited/limited.ts"),
  ]);
  const subject = "Wall";
  try {
    const found = await findWall({ env: passedEnvironment(), folder: process.cwd() });
    if (found.kind === "walled") {
      const { detail } = toldWall({ repl: { level: "walled" }, whyNotCommands: undefined });
      return { verdict: "ok", subject, detail: `walled, by ${wallName(found.wall)}. ${detail}` };
    }
    const { reason, remedy = "Until then nothing here can be walled in." } = found;
    const { level, detail } = toldWall({ repl: { level: "limited" }, whyNotCommands: reason });
    const starts = canConfine(process.version)
      ? detail
      : `Node ${process.versions.node} cannot confine the REPL either, which starts only with your consent to the open mode (or Node ${NEEDED}).`;
    return { verdict: "warning", subject, detail: `${level}. ${reason} ${starts}`, remedy };
  } catch (error) {
    return { ...missing(subject, error, "make room for temporary files"), verdict: "warning" };
  }
}

function project(folder: string): Finding {
  if (existsSync(path.join(folder, "tsconfig.json"))) {
    return { verdict: "ok", subject: "Project", detail: `tsconfig.json in ${folder}` };
  }
  return {
    verdict: "warning",
    subject: "Project",
    detail: `no tsconfig.json in ${folder}; files are answered for one by one with default options`,
    remedy: "run agentq doctor in your project's folder, or add a tsconfig.json",
  };
}

/** Told where the search path leads into a project: whoever misses a program of such a folder learns why. */
function searchPath(): Finding[] {
  const whole = process.env["PATH"] ?? "";
  const kept = new Set(searchFolders(whole));
  const left = [...new Set(whole.split(path.delimiter))].filter((folder) => !kept.has(folder));
  if (left.length === 0) return [];
  const folders = left.map((folder) => (folder === "" ? "the current folder" : folder)).join(", ");
  const detail = `programs of ${folders} run behind the wall alone (commands, tests and the REPL): the server starts none of a project's`;
  return [{ verdict: "ok", subject: "Search path", detail }];
}

function model(): Finding {
  const status = modelStatus(readProfiles(process.env, {})[0]);
  const unused = useWebProxy(process.env);
  if (status.ready && unused !== undefined) {
    const remedy = "correct HTTPS_PROXY, HTTP_PROXY or NODE_USE_ENV_PROXY where the editor is started";
    return { verdict: "warning", subject: "Model", detail: unused, remedy };
  }
  const proxy = proxyOnTheWay(process.env, URL.canParse(status.baseUrl) ? status.baseUrl : "https://api.anthropic.com");
  const way = proxy === undefined ? "" : ` by way of the proxy ${proxy}`;
  if (status.ready) return { verdict: "ok", subject: "Model", detail: `${status.model} at ${status.baseUrl}${way}` };
  return {
    verdict: "warning",
    subject: "Model",
    detail: status.reason ?? "not configured",
    remedy: "export ANTHROPIC_API_KEY=…   or   export ANTHROPIC_BASE_URL=http://localhost:PORT",
  };
}

function missing(subject: string, error: unknown, remedy: string): Finding {
  const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return { verdict: "missing", subject, detail: reason, remedy };
}
