const { writeSync } = require('node:fs')

// Writes the CPU time in milliseconds and the peak memory in MB of a process to its descriptor 3.
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(3, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS / 1024 }))
})
