const { describeContract } = require('@concord/contract')

// Makes tests with the globals of jest: one for each operation and status, and one that something was judged.
describeContract(require('../shared/mocked.cjs'))
