/** `fetch` whose answers end in an error where they are endless. */

/** More than that of one response is not read. */
const LONGEST_BODY = 64_000_000;

export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  let length = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        length += chunk.byteLength;
        if (length > LONGEST_BODY) controller.error(new Error(`It sent more than ${LONGEST_BODY / 1_000_000} MB.`));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  const copy = new Response(bounded, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: response.url });
  return copy;
}
