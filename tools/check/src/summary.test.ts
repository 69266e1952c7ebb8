import { expect, it } from 'vitest'

import { countTests, describeTasks, skippedTests } from './summary.ts'

it('counts passed, failed and skipped cases in a JUnit report', () => {
  const junit = [
    '<testsuites><testsuite><testcase name="a"/>',
    '<testcase name="b" time="1"><failure>no</failure></testcase>',
    '<testcase name="c"><skipped/></testcase>',
    '<testcase name="d">\n<system-out>ok</system-out></testcase>',
    '<testcase name="e"><error/></testcase></testsuite></testsuites>',
  ].join('\n')
  expect(countTests(junit)).toEqual({ tests: 5, failed: 2, skipped: 1 })
})

it('lists skipped cases', () => {
  const junit = `<testsuites><testsuite><testcase classname="f" name="a"/><testcase classname="f" name="needs &quot;b&quot; &amp; c" time="1">
    <skipped/></testcase><testcase name="d"><failure>no</failure></testcase></testsuite></testsuites>`
  expect(skippedTests(junit)).toEqual(['needs "b" & c'])
})

it('treats a report without tests as a failure', () => {
  expect(() => countTests('<testsuites></testsuites>')).toThrow('has no test cases')
})

it('distinguishes cached, failed and unrun tasks', () => {
  const table = describeTasks([
    {
      taskId: 'a#test',
      command: 'vitest run',
      cache: { status: 'HIT' },
      execution: { startTime: 0, endTime: 5, exitCode: 0 },
    },
    {
      taskId: 'b#test',
      command: 'vitest run',
      cache: { status: 'MISS' },
      execution: { startTime: 0, endTime: 1500, exitCode: 1 },
    },
    { taskId: 'c#test', command: 'vitest run', cache: { status: 'MISS' } },
    { taskId: 'd#test', command: '<NONEXISTENT>', cache: { status: 'MISS' } },
  ])
  expect(table.split('\n').map((line) => line.trim().split(/\s+/))).toEqual([
    ['a#test', 'ok', 'cached'],
    ['b#test', 'FAILED', '1.5', 's'],
    ['c#test', 'not', 'run'],
  ])
})
