/** Whether a value has to be waited for. By what it can do: some hosts put a class of their own in the place of `Promise`. */
export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
