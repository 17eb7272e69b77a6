/** Which processes are worked with, and how far: told by the program that a process runs. */
import type { AppLevel } from "../child/wire/app-frames.ts";

export interface Followed {
  /** Undefined for a process that is left alone. */
  readonly level: AppLevel | undefined;
  readonly why?: string;
}

/** Programs whose own loaders run the project's code where no hook of Node's sees it. */
const OWN_LOADERS = /\/node_modules\/(?:\.bin\/)?(vite|next|nuxt|nuxi|astro)(?=\/|$)/;
/** Test runs have processes of their own, which `run_tests` looks into. */
const TESTS = /\/node_modules\/(?:\.bin\/)?(?:jest|jest-cli|jest-worker|vitest|mocha|ava|tap)(?=\/|$)/;

export function followed(program: string, variables: Readonly<Record<string, string | undefined>>): Followed {
  const path = program.replaceAll("\\", "/");
  if (TESTS.test(path) || variables["VITEST"] !== undefined || variables["JEST_WORKER_ID"] !== undefined) {
    return { level: undefined };
  }
  const [, loader] = OWN_LOADERS.exec(path) ?? [];
  if (loader === undefined) return { level: "modules" };
  const why = `${loader} runs the project's code by a loader of its own, which Node's hooks do not see`;
  return { level: "globals", why: `${why}: forms run among the process's globals, and not inside of modules` };
}
