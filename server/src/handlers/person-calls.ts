/** Tools that the person called and that have not answered: an interrupt ends them, as it ends the person's forms. */
export interface PersonCalls {
  /** Contract: `use` stops on its signal, which follows `signal`. */
  readonly run: <Value>(signal: AbortSignal, use: (signal: AbortSignal) => Promise<Value>) => Promise<Value>;
  /** False when no call was running. */
  readonly stop: () => boolean;
}

export function createPersonCalls(): PersonCalls {
  const running = new Set<AbortController>();
  return {
    run: async (signal, use) => {
      const call = new AbortController();
      running.add(call);
      try {
        return await use(AbortSignal.any([signal, call.signal]));
      } finally {
        running.delete(call);
      }
    },
    stop: () => {
      for (const call of running) call.abort();
      return running.size > 0;
    },
  };
}
