@echo off
if "%~1"=="--help" if "%~2"=="" (
  type "%~dp0etcd.help"
  exit /b 0
)
node "%~dp0..\dist\dropin\etcd.js" %*
