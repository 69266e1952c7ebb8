export { workersSocketFactory, type UpgradeFetch, type WorkersSocketOptions } from './upgrade-socket.ts'
