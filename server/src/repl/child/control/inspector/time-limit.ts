/** The promise's value, or undefined when the promise takes longer than that. */
export async function withTimeLimit<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const result = await Promise.race([promise, late]);
  clearTimeout(timer);
  return result;
}
