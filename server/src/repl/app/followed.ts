/** Which processes are worked with, and how far: told by the program that a process runs. */
import type { AppLevel } from "../child/wire/app-frames.ts";

export interface Followed {
  /** Undefined for a process that is left alone. */
  readonly level: AppLevel | undefined;
  /** Why not everything can be done, as a part of a sentence. */
  readonly why?: string;
}

/** They load no code of a workspace, and start what does: hooks would only slow them down. */
const LAUNCHERS = [
  /(?:^|\/)(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|corepack)(?:-cli|-[\d.]+)?(?:\.c?js)?$/,
  /\/node_modules\/(?:\.bin\/)?(?:tsx|nodemon|concurrently|cross-env)(?=\/|$)/,
];

/** Programs whose own loaders run the project's code where no hook of Node's sees it. */
const OWN_LOADERS = /\/node_modules\/(?:\.bin\/)?(vite|next|nuxt|nuxi|astro)(?=\/|$)/;
/** Test runs have processes of their own, which `run_tests` looks into. */
const TESTS = /\/node_modules\/(?:\.bin\/)?(?:jest|jest-cli|jest-worker|vitest|mocha|ava|tap)(?=\/|$)/;

export function followed(program: string, variables: Readonly<Record<string, string | undefined>>): Followed {
  const path = program.replaceAll("\\", "/");
  if (TESTS.test(path) || variables["VITEST"] !== undefined || variables["JEST_WORKER_ID"] !== undefined) {
    return { level: undefined, why: "it is a test run, which is left alone: run_tests looks into test runs" };
  }
  if (LAUNCHERS.some((launcher) => launcher.test(path))) {
    return { level: undefined, why: "it only starts other programs: name the process of the one that is meant" };
  }
  const [, loader] = OWN_LOADERS.exec(path) ?? [];
  if (loader === undefined) return { level: "modules" };
  const why = `${loader} runs the project's code by a loader of its own, which Node's hooks do not see`;
  return { level: "globals", why: `${why}: forms run among the process's globals, and not inside of modules` };
}
