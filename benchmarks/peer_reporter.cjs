// A reporter of jest that writes a line of JSON per test to the file PEER_REPORT. Jest's own fails
// on errors of axios, which refer to themselves.
const fs = require('fs');

module.exports = class {
    onTestResult(test, result) {
        const cases = result.testResults.length ? result.testResults : [
            { fullName: 'file', status: 'failed', failureMessages: [result.failureMessage || ''] },
        ];
        for (const { fullName, status, failureMessages } of cases) {
            const [reason] = (failureMessages[0] || '').split('\n    at ');
            const told = [fullName, status, reason.replace(/\s+/g, ' ').trim()];
            fs.appendFileSync(process.env.PEER_REPORT, JSON.stringify(told) + '\n');
        }
    }
};
