/** Gives a job, but not the one that the server sent. */
export function connect(): () => Promise<unknown> {
  return () => Promise.resolve({ id: '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a', status: 'completed' })
}
