// Serves jobs: the one of the contract is complete, all others are so at a later poll. Run as a process of its own.
import { completedJob } from '../contract.ts'
import { answerQuestions } from '../process/answer-questions.ts'
import { API_KEY } from './job-address.ts'
import { jsonAnswer, startRawServer } from './raw-server.ts'

const job = completedJob()
const jobId = String(job['id'])
const completed = jsonAnswer('200 OK', job)
const processing = jsonAnswer('200 OK', { id: jobId, status: 'processing' })
const refused = jsonAnswer('401 Unauthorized', { detail: 'The key is missing or wrong.' })
const unknown = jsonAnswer('404 Not Found', { detail: 'There is no such operation.' })

const line = /^GET \/v1\/jobs\/([0-9a-f-]{36}) HTTP\/1\.1\r\n/
const key = new RegExp(`\\r\\nx-api-key: ${API_KEY}(\\r\\n|$)`, 'i')

let pollsToCompletion = 1
const polls = new Map<string, number>()

const server = await startRawServer((head) => {
  const id = line.exec(head)?.[1]
  if (id === undefined) return unknown
  if (!key.test(head)) return refused
  if (id === jobId) return completed
  const count = (polls.get(id) ?? 0) + 1
  polls.set(id, count)
  return withId(count < pollsToCompletion ? processing : completed, id)
})

/** The same answer for another job. All ids are of one length. */
function withId(answer: Buffer, id: string): Buffer {
  const own = Buffer.from(answer)
  own.write(id, own.indexOf(jobId), 'latin1')
  return own
}

answerQuestions({
  port: () => server.port,
  prepare: (count: number) => {
    pollsToCompletion = count
    polls.clear()
    server.reset()
  },
  seen: () => ({
    connections: server.mostConnections(),
    polls: [...polls.values()].reduce((sum, count) => sum + count, 0),
  }),
})
