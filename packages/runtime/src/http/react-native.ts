/** Its `fetch` sends bytes but no streams, its Blobs can't be made of bytes, and its responses have no streams. */
export function isReactNative(): boolean {
  return (globalThis.navigator as { product?: unknown } | undefined)?.product === 'ReactNative'
}
