/** Values that are expensive to make and not needed to answer `initialize`. */

/** A value that is loaded once, on first use; a failed load is tried again at the next use. */
export interface Lazy<Value> {
  (): Promise<Value>;
  /** The value when it is there already. */
  readonly peek: () => Value | undefined;
}

export function lazy<Value>(load: () => Promise<Value>): Lazy<Value> {
  let promise: Promise<Value> | undefined;
  let value: Value | undefined;
  const get = (): Promise<Value> => {
    promise ??= load().then(
      (loaded) => (value = loaded),
      (error: unknown) => {
        promise = undefined;
        throw error;
      },
    );
    return promise;
  };
  return Object.assign(get, { peek: () => value });
}
