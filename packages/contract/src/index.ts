export {
  type ChannelRules,
  ContractError,
  type ContractErrorCode,
  loadSocketSpec,
  loadSpec,
  type SchemaIssue,
  type SchemaOracle,
  schemaOracle,
  type SkippedChannel,
  type SocketChannel,
  type SocketMessage,
  type SocketSpec,
  type Spec,
  specFile,
} from '@concord/spec-model'
export { describeClient } from './suite/describe-client.ts'
export type { DescribeClientOptions, DescribedClient } from './suite/describe-client.ts'
export type { ClientClassTests, ClientTestOptions, GeneratedClient } from './suite/client-class.ts'
export { createContractSuite, startContractMock } from './suite/suite.ts'
export type { ContractSuite, SuiteOptions } from './suite/suite.ts'
export type { Suite, SuiteCheck } from './suite/suite-of.ts'
export type { CallInput, CallTarget, ContractSubject, Drift, Outcome } from './suite/subject.ts'
export { tryMistakes } from './suite/mistakes.ts'
export type { MistakeResult, PlantedMistake, TryMistakesOptions } from './suite/mistakes.ts'
export type {
  DeliveredWebhook,
  UnreachableResponse,
  Walk,
  WalkCall,
  WalkContext,
  WalkStep,
  WalkStepResult,
  WalkedExchange,
} from './suite/walk.ts'
export type { SuiteSizes } from './suite/context.ts'
export type { Credentials } from './oracle/security.ts'

export { columns, listRows } from './coverage/matrix.ts'
export type { Cell, Column, Row } from './coverage/matrix.ts'
export { mergeReports } from './coverage/report.ts'
export type { CoverageReport, Totals } from './coverage/report.ts'

export { terminalTable } from './coverage/terminal.ts'
export { htmlPage } from './coverage/html.ts'
export { junitXml } from './coverage/junit.ts'

export { serveMock, serveProxy } from './http/serve.ts'
export type { ListeningServer } from './http/listen.ts'
export type { MockOptions, ProxyOptions, ServeOptions } from './http/serve.ts'
export type { SeenExchange } from './http/serve-requests.ts'

export { describeContract } from './recorded/describe-contract.ts'
export type {
  DefineTest,
  DescribeContractOptions,
  DescribeTests,
  MockedResponse,
} from './recorded/describe-contract.ts'
export type { Har, HarEntry, HarPair, HarSocketMessage } from './recorded/har.ts'
export { HarRecorder } from './recorded/recorder.ts'
export { serveReplay } from './recorded/replay.ts'
export type { ReplayedRequest, ReplayOptions } from './recorded/replay.ts'

export { verify } from './verify/verify.ts'
export { verifySockets } from './verify/verify-sockets.ts'
export type { VerifySocketsOptions } from './verify/verify-sockets.ts'
export type { VerifyOptions } from './verify/verify.ts'
export type { OperationVerdict, VerifyCheck, VerifyReport, VerifyState } from './verify/report.ts'
export { verifyJunit, verifyText } from './verify/output.ts'
export { verifyPage } from './verify/html.ts'

export type { PrismHost } from './http/prism.ts'
export type {
  Exchange,
  Finding,
  FindingCode,
  HeaderLine,
  RecordedResponse,
  RecordedRequest,
} from './http/exchange.ts'

export { serveSocketMock } from './socket/serve/socket-mock.ts'
export type { SocketClock, SocketMockOptions } from './socket/serve/socket-mock.ts'
export { serveSocketProxy } from './socket/serve/socket-proxy.ts'
export type { SocketProxyOptions } from './socket/serve/socket-proxy.ts'
export { playSocketClient } from './socket/serve/socket-player.ts'
export type { PlayedChannel, SocketPlayerOptions } from './socket/serve/socket-player.ts'
export { transcriptLine } from './socket/serve/transcript.ts'
export type { SeenSocketEvent, SocketServeOptions } from './socket/serve/seen.ts'
export type { FrameDirection } from './socket/judge/judge-frame.ts'
export { createSocketSuite } from './socket/suite/socket-suite.ts'
export type { SocketSuite, SocketSuiteOptions } from './socket/suite/socket-suite.ts'
export { trySocketMistakes } from './socket/suite/socket-mistakes.ts'
export type { PlantedSocketMistake, TrySocketMistakesOptions } from './socket/suite/socket-mistakes.ts'
export type { RuleName } from './socket/suite/socket-rows.ts'
export type {
  SendOutcome,
  SocketInput,
  SocketOpening,
  SocketOutcome,
  SocketSession,
  SocketSubject,
  SocketTarget,
  SubjectClock,
} from './socket/suite/socket-subject.ts'
export type {
  SocketStepResult,
  SocketWalk,
  SocketWalkStep,
  SocketWalkTarget,
} from './socket/suite/socket-walk.ts'
