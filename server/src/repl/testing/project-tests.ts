/** The project's tests as tools run them: behind the wall, or, where there is none and the person agrees, with their rights. */
import { existingRealPath } from "../../workspace/real-path.ts";
import type { TestSources } from "./run-tests.ts";
import type { LaidTexts, TestRequest, TestRun } from "./test-run.ts";
import type { WithRoom } from "./walled/test-room.ts";

export interface ProjectTestPorts extends TestSources {
  /** Copies of the project behind the wall, or a sentence that says why there are none. */
  readonly rooms: () => Promise<WithRoom | string>;
  /** Why tests may not run without a wall; undefined when the person has agreed. `why` says why the wall is missing. */
  readonly whyNotTest: (why: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** The runners are loaded with the first run. */
export class ProjectTests {
  readonly #ports: ProjectTestPorts;

  constructor(ports: ProjectTestPorts) {
    this.#ports = ports;
  }

  /** Answers one run for each runner, or a sentence when nothing could be run. Does not throw for what tests do. */
  async run(request: TestRequest, signal: AbortSignal): Promise<readonly TestRun[] | string> {
    const { runTests } = await import("./run-tests.ts");
    const withRoom = await this.#ports.rooms();
    if (typeof withRoom !== "string") return runTests(this.#ports, { withRoom }, request, signal);
    const refusal = await this.#ports.whyNotTest(withRoom, signal);
    return refusal ?? runTests(this.#ports, { whyNotWalled: withRoom }, request, signal);
  }

  /** The files among these that hold tests, with these texts in place of theirs. */
  async testFilesAmong(files: readonly string[], texts: LaidTexts): Promise<readonly string[]> {
    const [{ readingOver, sourceText }, { testFilesAmong }, withRoom] = await Promise.all([
      import("./laid-texts.ts"),
      import("./test-files.ts"),
      this.#ports.rooms(),
    ]);
    const { projectRoot, readSource } = this.#ports;
    const project = {
      root: existingRealPath(projectRoot) ?? projectRoot,
      readText: (path: string) => sourceText(readingOver(readSource, texts), path),
      whyNotWalled: typeof withRoom === "string" ? withRoom : undefined,
    };
    return testFilesAmong(project, files);
  }

  /** Whether tests run without the person's rights, so that nobody has to be asked. */
  async isConfined(): Promise<boolean> {
    return typeof (await this.#ports.rooms()) !== "string";
  }
}
