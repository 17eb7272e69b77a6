/** How long this process keeps its event loop to itself. */

const EVERY_MS = 2;

export class OwnLoop {
  #longest = 0;
  #last = performance.now();
  #used = process.threadCpuUsage();
  readonly #timer = setInterval(() => this.#look(), EVERY_MS);

  reset(): void {
    this.#look();
    this.#longest = 0;
  }

  /** In milliseconds, of the shorter of the clock and the thread's processor time: load counts as none. */
  longest(): number {
    this.#look();
    return this.#longest;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(this.#used);
    this.#longest = Math.max(this.#longest, Math.min(now - this.#last - EVERY_MS, (user + system) / 1_000));
    this.#last = now;
    this.#used = process.threadCpuUsage();
  }
}
