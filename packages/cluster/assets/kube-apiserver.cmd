@echo off
if "%~1"=="--help" if "%~2"=="" (
  type "%~dp0kube-apiserver.help"
  exit /b 0
)
node "%~dp0..\dist\dropin\kube-apiserver.js" %*
